import type { DiscoverOptions, SourceId } from '../../../index.ts'
import { everyVariable, neededVariables } from '../../../internal.ts'
import { commonVariables } from './common-variables.ts'
import type { DeskRequest } from './desk-messages.ts'

export type Values = Readonly<Record<string, string>>

/** Asks the client for variables by name. */
export type AskValues = (names: readonly string[]) => Promise<Values>

/** Files that variables lead to may name more variables; each round reads the files again. */
const maxRounds = 4

/** What is known of a client's environment, and which names it was asked for. */
export interface ClientVariables {
  readonly values: Values
  readonly asked: ReadonlySet<string>
}

/** Asks for the variables that every client sends and those that the entries in force need, beyond those known already. */
export async function askVariables(
  request: DeskRequest,
  ask: AskValues,
  known: ClientVariables,
): Promise<ClientVariables> {
  const asked = new Set(known.asked)
  let { values } = known
  let names = commonVariables.filter((name) => !asked.has(name))
  for (let round = 0; round < maxRounds; round++) {
    if (names.length > 0) values = { ...values, ...(await ask(names)) }
    for (const name of names) asked.add(name)
    if (asked.has(everyVariable)) break
    const needed = await neededVariables({ ...discoverOptionsOf(request), env: values })
    names = needed.filter((name) => !asked.has(name))
    if (names.length === 0) break
  }
  return { values, asked }
}

export function discoverOptionsOf(request: DeskRequest): DiscoverOptions {
  const { cwd, config, preset, source, trust } = request
  return {
    cwd,
    // The command line knows these words; a wrong one is refused where it is used.
    ...(preset !== undefined && { preset: preset as DiscoverOptions['preset'] & string }),
    ...(config !== undefined && { config }),
    ...(source !== undefined && { sources: source as readonly SourceId[] }),
    ...(trust && { trust: 'project' as const }),
    lock: true,
  }
}

/** Equal for clients that may share processes: the same folder, flags and values. What each of them sees is its view. */
export function poolKey({ view: _view, search: _search, ...request }: DeskRequest, values: Values): string {
  const sorted = (each: object) => Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([sorted(request), sorted(values)])
}
