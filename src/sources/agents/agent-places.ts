import { dirname, join } from 'node:path'
import type { AgentFileRules } from '../../model/preset.ts'
import {
  configHome,
  explicit,
  inFolder,
  movable,
  place as placeAt,
  system,
  upward,
} from '../place-builders.ts'
import { placesOf } from '../places.ts'
import type { SourceId } from '../places.ts'
import type { FilePlace, World } from '../source.ts'

/** What kind of file it is; the `agent` key of opencode's own files is read where that source has them. */
export type AgentFile = 'sections' | 'claude-code' | 'opencode'

export interface AgentPlace {
  readonly kind: AgentFile
  readonly place: FilePlace
}

/** Where agents are described: in every directory of the project, the nearest first, then in the person's own folders. */
export function agentPlaces(world: World): readonly AgentPlace[] {
  const inProject = world.dirs.flatMap((dir) => {
    const here = { ...world, dirs: [dir] }
    return [
      ...as('sections', upward(here, ['AGENTS.md', 'data/AGENTS.md'])),
      ...as('claude-code', upward(here, markdownIn('.claude/agents'))),
      ...as(
        'opencode',
        upward(
          here,
          opencodeFolders.flatMap((folder) => markdownIn(`.opencode/${folder}`)),
        ),
      ),
    ]
  })
  const ofPerson = [
    ...as('sections', [configHome(world, 'plugboard/AGENTS.md')]),
    ...as(
      'claude-code',
      markdownIn('agents').map((path) => movable(world, 'CLAUDE_CONFIG_DIR', '.claude', path)),
    ),
    ...as('opencode', inFolder(world, 'OPENCODE_CONFIG_DIR', opencodeFolders.flatMap(markdownIn))),
    ...as(
      'opencode',
      opencodeFolders.flatMap(markdownIn).map((path) => configHome(world, `opencode/${path}`)),
    ),
  ]
  // B2: where BooCode's container has it.
  const mounted = system(world, 'data/AGENTS.md', { scope: 'system', authority: 'explicit' })
  return [...inProject, ...as('sections', [mounted]), ...ofPerson]
}

/** The `AGENTS.md` beside each place of a source's configuration: where the variable leads, and the usual ones. */
export function agentPlacesBesideConfig(rules: AgentFileRules, world: World): readonly AgentPlace[] {
  const { [rules.movedBy]: _moved, ...env } = world.env
  const source = rules.source as SourceId // presets name sources of ours
  const configs = [...placesOf(source, world), ...placesOf(source, { ...world, env })]
  const paths = new Set(configs.map(({ path }) => join(dirname(path), 'AGENTS.md')))
  return as(
    'sections',
    [...paths].map((path) => placeAt(path, { ...explicit, root: dirname(path) })),
  )
}

const opencodeFolders = ['agent', 'agents']

/** Files of a folder and of the folders in it. */
function markdownIn(folder: string): readonly string[] {
  return [`${folder}/*.md`, `${folder}/*/*.md`]
}

function as(kind: AgentFile, places: readonly FilePlace[]): readonly AgentPlace[] {
  return places.map((place) => ({ kind, place }))
}
