import type { Diagnostic, Discovery, Host, Server } from '../../index.ts'
import { describeProblem, problemSentence } from '../facts/problem-facts.ts'

/** How the servers in force changed, by their names. */
export interface Difference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

type DeclaredServers = Pick<Discovery, 'servers' | 'trust'>

export function compare(before: DeclaredServers, after: DeclaredServers): Difference {
  const [old, now] = [declarationsByName(before), declarationsByName(after)]
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now]
      .filter(([name, state]) => old.has(name) && old.get(name) !== state)
      .map(([name]) => name),
  }
}

/** Per server, what counts as a change: its entry, its switch and its trust. */
function declarationsByName({ servers, trust }: DeclaredServers): ReadonlyMap<string, string> {
  const stateOf = (server: Server) => `${server.id} ${server.enabled} ${trust.get(server) ?? ''}`
  return new Map(servers.map((server) => [server.name, stateOf(server)]))
}

export function isSame({ added, removed, changed }: Difference): boolean {
  return added.length + removed.length + changed.length === 0
}

export function drawDifference({ added, removed, changed }: Difference): string {
  const quoteAll = (names: readonly string[]) => names.map((each) => `"${each}"`).join(', ')
  return [
    ...(added.length > 0 ? [`${quoteAll(added)} ${added.length === 1 ? 'is' : 'are'} new`] : []),
    ...(changed.length > 0 ? [`${quoteAll(changed)} changed`] : []),
    ...(removed.length > 0 ? [`${quoteAll(removed)} ${removed.length === 1 ? 'is' : 'are'} gone`] : []),
  ].join(', ')
}

function toolNamesOf(host: Host): string {
  return JSON.stringify(host.tools().map(({ name }) => name))
}

/** A file with one of these problems cannot be read now: its last good content stays in force. */
const unreadableCodes: ReadonlySet<string> = new Set(['parse-error', 'unreadable-file'])

interface FollowerOptions {
  readonly host: Host
  /** Reports what changed on disk and its effect. */
  readonly notify: (text: string) => void
}

/** Applies edits by other programs at once (O18). A file that is half written or invalid changes nothing. */
export function createFollower({ host, notify }: FollowerOptions): (found: Discovery) => Promise<void> {
  let known = problemsIn(host.discovery)
  return async (found) => {
    const difference = compare(host.discovery, found)
    const problems = problemsIn(found)
    for (const [text, problem] of problems) if (!known.has(text)) notify(drawProblem(problem))
    known = problems
    const isBroken = [...problems.values()].some(({ code }) => unreadableCodes.has(code))
    if (isSame(difference) && isBroken) return
    const before = toolNamesOf(host)
    await host.reload()
    if (!isSame(difference)) return notify(`A config file changed: ${drawDifference(difference)}.`)
    if (toolNamesOf(host) === before) return
    const { length } = host.tools()
    notify(`Settings changed: ${length} ${length === 1 ? 'tool is' : 'tools are'} offered now.`)
  }
}

/** The problems in the config files, one sentence each (O21). */
export function drawErrors(discovery: Discovery): readonly string[] {
  return [...problemsIn(discovery).values()].map(drawProblem)
}

function drawProblem(found: Diagnostic): string {
  const problem = describeProblem(found, (file) => file)
  const where = problem.place ? `${problem.place.shown}: ` : ''
  return `${where}${problemSentence(problem)}`
}

function problemsIn({ diagnostics }: Discovery): ReadonlyMap<string, Diagnostic> {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  return new Map(
    errors.map((problem) => [`${problem.code} ${problem.origin?.file} ${problem.message}`, problem]),
  )
}
