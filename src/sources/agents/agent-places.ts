import { dirname, join } from 'node:path'
import type { AgentFileRules } from '../../model/preset.ts'
import {
  configHome,
  explicit,
  inFolderFromVariable,
  movable,
  place as placeAt,
  system,
  upward,
} from '../place-builders.ts'
import { placesOf } from '../places.ts'
import type { SourceId } from '../places.ts'
import type { FilePlace, World } from '../source.ts'

/** The dialect of an agent file. The `agent` key of opencode's settings is read from that source's own files. */
export type AgentFile = 'sections' | 'claude-code' | 'opencode' | 'copilot'

export interface AgentPlace {
  readonly kind: AgentFile
  /** A file, or for files of one agent the folder that holds them at any depth. */
  readonly place: FilePlace
}

/** The places of agent files: every directory of the project, nearest first, then the user's own folders. */
export function agentPlaces(world: World): readonly AgentPlace[] {
  const inProject = world.dirs.flatMap((dir) => {
    const here = { ...world, dirs: [dir] }
    return [
      ...ofKind('sections', upward(here, ['AGENTS.md', 'data/AGENTS.md'])),
      ...ofKind('claude-code', upward(here, ['.claude/agents'])),
      ...ofKind(
        'opencode',
        upward(
          here,
          opencodeFolders.map((folder) => `.opencode/${folder}`),
        ),
      ),
      ...ofKind('copilot', upward(here, ['.github/agents'])),
    ]
  })
  const ofUser = [
    ...ofKind('sections', [configHome(world, 'plugboard/AGENTS.md')]),
    ...ofKind('claude-code', [movable(world, 'CLAUDE_CONFIG_DIR', '.claude', 'agents')]),
    ...ofKind('opencode', inFolderFromVariable(world, 'OPENCODE_CONFIG_DIR', opencodeFolders)),
    ...ofKind(
      'opencode',
      opencodeFolders.map((folder) => configHome(world, `opencode/${folder}`)),
    ),
    ...ofKind('copilot', [movable(world, 'COPILOT_HOME', '.copilot', 'agents')]),
  ]
  // B2: the file's place in BooCode's container.
  const mounted = system(world, 'data/AGENTS.md', { scope: 'system', authority: 'explicit' })
  return [...inProject, ...ofKind('sections', [mounted]), ...ofUser]
}

/** The `AGENTS.md` beside each place of a source's configuration: the one that the variable names, and the usual ones. */
export function agentPlacesBesideConfig(rules: AgentFileRules, world: World): readonly AgentPlace[] {
  const { [rules.movedBy]: _moved, ...env } = world.env
  const source = rules.source as SourceId // presets name only known sources
  const configs = [...placesOf(source, world), ...placesOf(source, { ...world, env })]
  const paths = new Set(configs.map(({ path }) => join(dirname(path), 'AGENTS.md')))
  return ofKind(
    'sections',
    [...paths].map((path) => placeAt(path, { ...explicit, root: dirname(path) })),
  )
}

const opencodeFolders = ['agent', 'agents']

function ofKind(kind: AgentFile, places: readonly FilePlace[]): readonly AgentPlace[] {
  return places.map((place) => ({ kind, place }))
}
