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
export type AgentFile = 'sections' | 'claude-code' | 'opencode'

export interface AgentPlace {
  readonly kind: AgentFile
  readonly place: FilePlace
}

/** The places of agent files: every directory of the project, nearest first, then the user's own folders. */
export function agentPlaces(world: World): readonly AgentPlace[] {
  const inProject = world.dirs.flatMap((dir) => {
    const here = { ...world, dirs: [dir] }
    return [
      ...ofKind('sections', upward(here, ['AGENTS.md', 'data/AGENTS.md'])),
      ...ofKind('claude-code', upward(here, markdownIn('.claude/agents'))),
      ...ofKind(
        'opencode',
        upward(
          here,
          opencodeFolders.flatMap((folder) => markdownIn(`.opencode/${folder}`)),
        ),
      ),
    ]
  })
  const ofUser = [
    ...ofKind('sections', [configHome(world, 'plugboard/AGENTS.md')]),
    ...ofKind(
      'claude-code',
      markdownIn('agents').map((path) => movable(world, 'CLAUDE_CONFIG_DIR', '.claude', path)),
    ),
    ...ofKind(
      'opencode',
      inFolderFromVariable(world, 'OPENCODE_CONFIG_DIR', opencodeFolders.flatMap(markdownIn)),
    ),
    ...ofKind(
      'opencode',
      opencodeFolders.flatMap(markdownIn).map((path) => configHome(world, `opencode/${path}`)),
    ),
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

/** The files of a folder and of its direct subfolders. */
function markdownIn(folder: string): readonly string[] {
  return [`${folder}/*.md`, `${folder}/*/*.md`]
}

function ofKind(kind: AgentFile, places: readonly FilePlace[]): readonly AgentPlace[] {
  return places.map((place) => ({ kind, place }))
}
