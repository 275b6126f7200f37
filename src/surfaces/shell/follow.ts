import type { Diagnostic, Discovery, Host, Server } from '../../index.ts'
import { redactWords } from '../../internal.ts'

/** How what is in force differs from what was: by names of servers. */
export interface Difference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

type Known = Pick<Discovery, 'servers' | 'trust'>

export function compare(before: Known, after: Known): Difference {
  const [old, now] = [byName(before), byName(after)]
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: [...now].filter(([name, what]) => old.has(name) && old.get(name) !== what).map(([name]) => name),
  }
}

/** What makes a declaration another one for who uses it: the entry, whether it is on, whether it is trusted. */
function byName({ servers, trust }: Known): ReadonlyMap<string, string> {
  const stateOf = (server: Server) => `${server.id} ${server.enabled} ${trust.get(server) ?? ''}`
  return new Map(servers.map((server) => [server.name, stateOf(server)]))
}

export function isSame({ added, removed, changed }: Difference): boolean {
  return added.length + removed.length + changed.length === 0
}

export function drawDifference({ added, removed, changed }: Difference): string {
  const name = (names: readonly string[]) => names.map((each) => `"${each}"`).join(', ')
  return [
    ...(added.length > 0 ? [`${name(added)} ${added.length === 1 ? 'is' : 'are'} new`] : []),
    ...(changed.length > 0 ? [`${name(changed)} changed`] : []),
    ...(removed.length > 0 ? [`${name(removed)} ${removed.length === 1 ? 'is' : 'are'} gone`] : []),
  ].join(', ')
}

function offeredBy(host: Host): string {
  return JSON.stringify(host.tools().map(({ name }) => name))
}

/** Of a file that says nothing at the moment: what it said before is still in force. */
const broken: ReadonlySet<string> = new Set(['parse-error', 'unreadable-file'])

interface Following {
  readonly host: Host
  /** Says what changed on disk and what came of it. */
  readonly tell: (text: string) => void
}

/** What somebody else wrote counts at once (O18). A file that is half written or broken leaves everything as it is. */
export function createFollower({ host, tell }: Following): (found: Discovery) => Promise<void> {
  let known = problemsIn(host.discovery)
  return async (found) => {
    const difference = compare(host.discovery, found)
    const problems = problemsIn(found)
    for (const [text, problem] of problems) if (!known.has(text)) tell(drawProblem(problem))
    known = problems
    const isBroken = [...problems.values()].some(({ code }) => broken.has(code))
    if (isSame(difference) && isBroken) return
    const before = offeredBy(host)
    await host.reload()
    if (!isSame(difference)) return tell(`A config file changed: ${drawDifference(difference)}.`)
    if (offeredBy(host) === before) return
    const { length } = host.tools()
    tell(`Settings changed: ${length} ${length === 1 ? 'tool is' : 'tools are'} offered now.`)
  }
}

/** What is wrong with the files that were read, a sentence each (O21). */
export function drawErrors(discovery: Discovery): readonly string[] {
  return [...problemsIn(discovery).values()].map(drawProblem)
}

function drawProblem({ message, hint, origin }: Diagnostic): string {
  const where = origin ? `${origin.file}${origin.line === undefined ? '' : `:${origin.line}`}: ` : ''
  return redactWords(`${where}${message}${hint === undefined ? '' : ` ${hint}`}`)
}

function problemsIn({ diagnostics }: Discovery): ReadonlyMap<string, Diagnostic> {
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  return new Map(
    errors.map((problem) => [`${problem.code} ${problem.origin?.file} ${problem.message}`, problem]),
  )
}
