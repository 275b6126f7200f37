import { performance } from 'node:perf_hooks'
import type { Greeting, HeldOffer, Host, JsonObject, ListName, Server, Step } from '../../../../index.ts'
import { isForModels } from '../../../../internal.ts'
import type { ToolDefinition } from '../../../../internal.ts'
import type { ServerOffers } from '../../../../scan.ts'
import { offeredLists, toServerOffers } from '../../../facts/findings/server-offers.ts'
import { serverCommand } from '../../../facts/server-command.ts'
import { EarlyExit, exitOf, faultOf } from '../../errors.ts'
import type { Fault } from '../../errors.ts'
import type { Exit } from '../../exit-codes.ts'
import { count } from '../../output/draw.ts'
import { callOptions, deadlineOf, withoutSecrets } from '../../with-host.ts'
import type { HostContext } from '../../with-host.ts'

/** The result of connecting to a server. */
export interface Probe {
  readonly name: string
  readonly transport: Server['transport']['kind']
  readonly greeting?: Greeting
  readonly counts?: Partial<Record<ListName, number>>
  /** Tools that the server keeps for its own app; they are not counted. */
  readonly appOnly?: readonly string[]
  /** Tools that cannot be called, with the reason. */
  readonly quarantined?: readonly unknown[]
  /** How many offers are held until a person has reviewed them. */
  readonly held?: number
  readonly error?: Fault
  readonly exit?: Exit
  /** Milliseconds. */
  readonly timings: Readonly<Record<string, number>>
}

/** What connecting needs of a command, or of `serve`. */
export type ProbeContext = Pick<HostContext, 'host' | 'signal' | 'remainingMs'> & {
  readonly waitLine: Pick<HostContext['waitLine'], 'show'>
  /** Gets everything that the server lists, as it sent it. */
  readonly onOffers?: (offers: ServerOffers) => void
}

/** The greeting without instructions that are held: the command may be run by an agent (T12). */
function withoutHeld(greeting: Greeting, held: readonly HeldOffer[]): Greeting {
  const { instructions: _, ...rest } = greeting
  return held.some(({ kind }) => kind === 'instructions') ? rest : greeting
}

/** Connects to a server and counts its offers. */
export async function probe({ name, transport: { kind } }: Server, context: ProbeContext): Promise<Probe> {
  const { host, waitLine, signal } = context
  const stepTimer = timeSteps(host, name)
  // A server that hangs takes a while to stop; the report does not wait for that.
  const deadline = deadlineOf(context)
  try {
    const isIdle = host.servers().some((each) => each.name === name && each.status.state === 'idle')
    // A restart forgets that earlier starts were not finished, so that lists wait for the server again (D-4).
    const greeting = await host[isIdle ? 'restart' : 'connect'](name, { signal: deadline })
    stepTimer.enter('listing')
    waitLine.show(`${name}: listing what it offers`)
    const lists = await Promise.all(
      offeredLists(greeting).map(async (list) => ({
        list,
        ...(await host.list(name, list, callOptions(context))),
      })),
    )
    context.onOffers?.(toServerOffers(name, greeting, lists))
    // Keeps what it offers, so that `tools` knows it as well.
    await host.ready({ servers: [name], from: 'servers', signal: deadline })
    const tools = lists.find(({ list }) => list === 'tools')?.items ?? []
    const appOnly = (tools as readonly ToolDefinition[]) // checked by the connection
      .flatMap((tool) => (isForModels(tool) ? [] : [tool.name]))
    const counts = Object.fromEntries(lists.map(({ list, items }) => [list, items.length]))
    if (appOnly.length > 0) counts['tools'] = tools.length - appOnly.length
    const quarantined = lists.flatMap((each) => each.quarantined)
    const held = host.held().find(({ server }) => server === name)?.offers ?? []
    const offered = {
      greeting: withoutHeld(greeting, held),
      counts,
      ...(appOnly.length > 0 && { appOnly }),
      quarantined,
      ...(held.length > 0 && { held: held.length }),
    }
    return { name, transport: kind, ...offered, timings: stepTimer.timings() }
  } catch (error) {
    signal.throwIfAborted()
    const reason = deadline.aborted ? notInTime(name) : withoutSecrets(error, host)
    const failure = { error: faultOf(reason), exit: exitOf(reason) }
    return { name, transport: kind, ...failure, timings: stepTimer.timings() }
  } finally {
    stepTimer[Symbol.dispose]()
  }
}

function notInTime(name: string): EarlyExit {
  return new EarlyExit('timeout', `"${name}" did not get ready within the time of --timeout.`)
}

/** Measures how long a connection spends in each step. */
function timeSteps(host: Host, name: string) {
  const spent = new Map<string, number>()
  const began = performance.now()
  let current: Step | 'listing' | undefined
  let since = began
  const enter = (step: typeof current): void => {
    const now = performance.now()
    if (current !== undefined) spent.set(current, (spent.get(current) ?? 0) + now - since)
    current = step
    since = now
  }
  const listening = host.on((event) => {
    if (event.type !== 'server.changed' || event.server !== name || current === 'listing') return
    enter(event.status.state === 'connecting' ? event.status.step : undefined)
  })
  return {
    enter,
    timings(): Readonly<Record<string, number>> {
      enter(undefined)
      const all = [...spent, ['total', performance.now() - began] as const]
      return Object.fromEntries(all.map(([step, ms]) => [step, Math.round(ms * 10) / 10]))
    },
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  }
}

const nouns: Readonly<Record<ListName, string>> = {
  tools: 'tool',
  resources: 'resource',
  resourceTemplates: 'resource template',
  prompts: 'prompt',
  skills: 'skill',
}

/** A successful connection as rows of label and text. */
export function rowsOf(probed: Probe): readonly Row[] {
  const { name, greeting, counts = {}, appOnly = [], quarantined = [], held = 0, timings } = probed
  const { era = '', version = '', capabilities = {}, isAssumed, serverInfo = {} } = greeting ?? {}
  const offers = Object.entries(counts).map(([list, number]) => count(number, nouns[list as ListName])) // keys of `counts`
  const { total = 0, ...steps } = timings
  const took = Object.entries(steps).map(([step, ms]) => `${step} ${Math.round(ms)}`)
  return [
    ['says it is', namesOf(serverInfo)],
    ['speaks', `MCP ${version} (${era === 'modern' ? 'modern' : 'legacy'} era)`],
    ['can', Object.keys(capabilities).join(', ') || (isAssumed ? 'unknown: not asked' : 'nothing')],
    ['offers', offers.join(', ') || 'nothing'],
    ...(appOnly.length > 0 ? ([['for its app', count(appOnly.length, 'tool')]] as const) : []),
    ...(quarantined.length > 0 ? ([['left out', count(quarantined.length, 'tool')]] as const) : []),
    ...(held > 0 ? ([['held', `${count(held, 'offer')}: ${serverCommand('review', name)}`]] as const) : []),
    ['took', `${Math.round(total)} ms (${took.join(', ')})`],
  ]
}

type Row = readonly [label: string, text: string]

function namesOf({ name, version }: JsonObject): string {
  return [name, version].map((word) => (typeof word === 'string' ? word : '?')).join(' ')
}
