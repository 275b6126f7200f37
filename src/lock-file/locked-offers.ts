import type { LockState, LockedServer } from '../model/locked-server.ts'
import { compareProgram, isBreach } from './lock-differences.ts'
import type { LockDifference, LockedProgram } from './lock-differences.ts'

/** What a lock file admits of a server, and why that is nothing, if it is. */
export type AdmittedOffers = Pick<
  LockedServer,
  'instructions' | 'tools' | 'prompts' | 'templates' | 'apps' | 'skills'
> & {
  readonly note?: string
}

/**
 * What may be offered of a server by the lock file of its project. A server that the file does not have, that is declared
 * or runs otherwise, or whose file cannot be read is held whole.
 */
export async function admittedOffers(
  server: string,
  state: LockState,
  readProgram: () => Promise<LockedProgram>,
): Promise<AdmittedOffers> {
  if (state.kind === 'broken')
    return nothing(`The lock file of the project cannot be used (line ${state.line}): ${state.problem}`)
  if (state.kind === 'missing') return nothing('The lock file of the project does not have this server.')
  const { locked } = state
  const differences = compareProgram(server, locked, await readProgram()).filter((each) => isBreach(each))
  const [first] = differences
  return first ? nothing(describe(first)) : locked
}

function nothing(note: string): AdmittedOffers {
  return {
    tools: new Map(),
    prompts: new Map(),
    templates: new Map(),
    apps: new Map(),
    skills: new Map(),
    note,
  }
}

/** In words of ours: a model that calls a held tool reads them. */
function describe({ part, change, locked, now }: LockDifference): string {
  switch (part) {
    case 'declaration':
      return 'The declaration of its server is not the one in the lock file of the project.'
    case 'version':
      return `Version ${now ?? 'unknown'} of its server runs, and the lock file of the project has ${locked ?? 'none'}.`
    case 'script':
      return `A script of its server ${change === 'removed' ? 'is gone' : 'is not the one in the lock file of the project'}.`
    default:
      return `The ${part} of its server is not the one in the lock file of the project.`
  }
}
