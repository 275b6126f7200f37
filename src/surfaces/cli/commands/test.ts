import { performance } from 'node:perf_hooks'
import type { Greeting, Host, JsonObject, ListName, Server, Step } from '../../../index.ts'
import { findServer } from '../../../config.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { Canvas, Output } from '../../terminal/output.ts'
import { leave } from '../context.ts'
import type { Cli } from '../context.ts'
import { count, endpointOf } from '../draw.ts'
import { drawFault, exitOf, faultOf, usage } from '../errors.ts'
import type { Fault } from '../errors.ts'
import type { Exit } from '../exit-codes.ts'
import { narrow } from '../scope.ts'
import { callOptions, withHost, withoutSecrets } from '../with-host.ts'
import type { Opened, WaitFlags } from '../with-host.ts'

export interface TestFlags extends WaitFlags {
  readonly all?: boolean
}

/** What a connection came to. */
interface Report {
  readonly name: string
  readonly transport: Server['transport']['kind']
  readonly greeting?: Greeting
  readonly counts?: Partial<Record<ListName, number>>
  /** Tools that nobody could call, with the reason. */
  readonly quarantined?: readonly unknown[]
  readonly error?: Fault
  /** Milliseconds. */
  readonly timings: Readonly<Record<string, number>>
}

/** Connects, greets, counts what is offered, and lets go again. */
export async function test(cli: Cli, flags: TestFlags, ...names: string[]): Promise<void> {
  if (flags.all && names.length > 0) throw usage('Name the servers or say --all, not both.')
  if (!flags.all && names.length === 0) throw usage('Name a server, or say --all.')
  await withHost(cli, flags, async (opened) => {
    const servers = choose(opened.host, flags, names)
    const exits: Exit[] = []
    const reports = await Promise.all(
      servers.map(async (server) => {
        const report = await look(server, flags, opened, (exit) => exits.push(exit))
        if (!flags.json) tell(report, server, opened.output)
        return report
      }),
    )
    if (servers.length === 0) opened.output.note('No server is switched on here.')
    const all = reports.map(toJson)
    if (flags.json) opened.output.result(names.length === 1 ? all[0] : all, () => '')
    const [first] = exits
    if (first) leave(cli, first)
  })
}

function choose({ discovery }: Host, { all, scope }: TestFlags, names: readonly string[]): readonly Server[] {
  const inScope = narrow(discovery, scope)
  if (all) return inScope.servers.filter(({ enabled }) => enabled)
  return [...new Set(names)].map((name) => findServer(inScope, name))
}

async function look(
  { name, transport: { kind } }: Server,
  flags: TestFlags,
  { host, waiting, signal }: Opened,
  onFailure: (exit: Exit) => void,
): Promise<Report> {
  const watch = timeSteps(host, name)
  try {
    const greeting = await host.connect(name, { signal })
    watch.enter('listing')
    waiting.say(`${name}: listing what it offers`)
    const lists = await Promise.all(
      offered(greeting).map(async (list) => ({
        list,
        ...(await host.list(name, list, callOptions(flags, signal))),
      })),
    )
    const counts = Object.fromEntries(lists.map(({ list, items }) => [list, items.length]))
    const quarantined = lists.flatMap((each) => each.quarantined)
    return { name, transport: kind, greeting, counts, quarantined, timings: watch.timings() }
  } catch (error) {
    signal.throwIfAborted()
    onFailure(exitOf(error))
    return { name, transport: kind, error: faultOf(withoutSecrets(error, host)), timings: watch.timings() }
  } finally {
    watch[Symbol.dispose]()
  }
}

/** What a server does not declare is not asked for, unless it was never asked what it declares. */
function offered({ capabilities, isAssumed }: Greeting): readonly ListName[] {
  const has = (name: string) => isAssumed || name in capabilities
  return [
    ...(has('tools') ? (['tools'] as const) : []),
    ...(has('resources') ? (['resources', 'resourceTemplates'] as const) : []),
    ...(has('prompts') ? (['prompts'] as const) : []),
  ]
}

/** How long a connection was in each of its steps. */
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

function toJson({ greeting, ...report }: Report): object {
  const { name, transport, ...rest } = report
  return { name, transport, ...greeting, ...rest }
}

function tell(report: Report, server: Server, output: Output): void {
  if (report.error) return output.fault(drawFault(report.error))
  output.result(report, (_report, canvas) => draw(report, server, canvas))
}

const nouns: Readonly<Record<ListName, string>> = {
  tools: 'tool',
  resources: 'resource',
  resourceTemplates: 'resource template',
  prompts: 'prompt',
}

function namesOf({ name, version }: JsonObject): string {
  return [name, version].map((word) => (typeof word === 'string' ? word : '?')).join(' ')
}

function draw(
  { name, greeting, counts = {}, quarantined = [], timings }: Report,
  server: Server,
  { style }: Canvas,
): string {
  const { era = '', version = '', capabilities = {}, isAssumed, serverInfo = {} } = greeting ?? {}
  const offers = Object.entries(counts).map(([list, number]) => count(number, nouns[list as ListName])) // keys of `counts`
  const { total = 0, ...steps } = timings
  const took = Object.entries(steps).map(([step, ms]) => `${step} ${Math.round(ms)}`)
  const rows: readonly (readonly [string, string])[] = [
    [server.transport.kind === 'stdio' ? 'runs' : 'reaches', endpointOf(server)],
    ['says it is', namesOf(serverInfo)],
    ['speaks', `MCP ${version} (${era === 'modern' ? 'the newer era' : 'the older era'})`],
    ['can', Object.keys(capabilities).join(', ') || (isAssumed ? 'unknown: it was not asked' : 'nothing')],
    ['offers', offers.join(', ') || 'nothing'],
    ...(quarantined.length > 0 ? ([['left out', count(quarantined.length, 'tool')]] as const) : []),
    ['took', `${Math.round(total)} ms (${took.join(', ')})`],
  ]
  const lines = rows.map(([label, text]) => `  ${style.dim(label.padEnd(10))}  ${escapeLine(text)}`)
  return [`${style.green('ok')} ${style.bold(escapeLine(name))}`, ...lines].join('\n')
}
