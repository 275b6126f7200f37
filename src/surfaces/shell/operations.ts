import { HostError } from '../../index.ts'
import type { Host, ServerStatus } from '../../index.ts'
import { findServer } from '../../internal.ts'
import type { StateFacts } from '../api/server-routes.ts'
import { endpointText } from '../facts/endpoint-text.ts'
import { describeState } from '../facts/state-facts.ts'
import { escapeLine } from '../terminal/escape.ts'
import { paintTone } from '../terminal/paint-tone.ts'
import { renderTable } from '../terminal/table.ts'
import type { Canvas, Output } from '../terminal/terminal-output.ts'
import { wrap } from '../terminal/width.ts'
import { compare, drawDifference, drawErrors, isSame } from './follow.ts'
import type { OperationName } from './intent.ts'

export interface OperationContext {
  readonly host: Host
  readonly output: Output
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
}

type Operation = (context: OperationContext, words: readonly string[]) => Promise<void>

/** Operations that only a shell has: they show and change its live host. */
export const operations: Readonly<Record<OperationName, Operation>> = {
  list: async (context) => showServers(context, (all, canvas) => drawList(all, context.host, canvas)),
  status: async (context) =>
    showServers(context, (all, canvas) => all.map((each) => drawState(each, canvas)).join('\n')),
  reload: async (context) => {
    const { output, host } = context
    const before = host.discovery
    await waitFor(host.reload(), context.signal)
    const difference = compare(before, host.discovery)
    const what = isSame(difference) ? 'nothing changed' : drawDifference(difference)
    output.note(`Reloaded the configuration: ${what}. ${countTools(host)}.`)
    showErrors(context)
  },
  restart: async ({ host, output, signal }, [name]) => {
    if (name === undefined) throw new HostError('usage', {}, 'Name a server: /mcp restart NAME')
    const { name: found } = findServer(host.discovery, name)
    await host.restart(found, { signal })
    output.note(`Restarted "${escapeLine(found)}".`)
  },
  stop: async ({ host, output }, [name]) => {
    if (name === undefined) throw new HostError('usage', {}, 'Name a server: /mcp stop NAME')
    const { name: found } = findServer(host.discovery, name)
    await host.stop(found)
    output.note(`Stopped "${escapeLine(found)}". The next call starts it.`)
  },
}

function showServers(
  context: OperationContext,
  draw: (all: readonly ServerStatus[], canvas: Canvas) => string,
): void {
  const { host, output } = context
  const servers = host.servers()
  if (servers.length > 0) output.text((canvas) => draw(servers, canvas))
  else output.note('No MCP servers are in force here. Add one: /mcp add')
  showErrors(context)
}

/** Prints the problems in the config files: they explain why a server is missing from the list. */
export function showErrors({ host, output }: Pick<OperationContext, 'host' | 'output'>): void {
  for (const problem of drawErrors(host.discovery)) output.error(problem)
}

/** Reloads the host after a change of the configuration (O18). A slow reload continues in the background. */
export async function reloadAfterChange({ host, output, signal }: OperationContext): Promise<void> {
  const before = host.discovery
  await waitFor(host.reload(), AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]))
  const difference = compare(before, host.discovery)
  if (!isSame(difference)) output.note(`${drawDifference(difference)}. ${countTools(host)}.`)
}

/** Restarts the server after a login or logout: its connection still uses the former credential. */
export async function reconnectServer(
  { host, signal }: OperationContext,
  words: readonly string[],
): Promise<void> {
  const named = host.servers().find(({ name }) => words.includes(name))
  // A failure is not reported here: the status of the server shows it.
  const connected = named && host.restart(named.name).then(() => host.ready({ servers: [named.name] }))
  const connecting = connected?.then(ignoreOutcome, ignoreOutcome)
  if (connecting) await waitFor(connecting, AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]))
}

const ignoreOutcome = (): void => undefined
const maxWaitMs = 3000

/** Waits for work until the signal aborts; the work itself continues. */
async function waitFor(work: Promise<void>, signal: AbortSignal): Promise<void> {
  work.catch(() => undefined)
  const aborted = new Promise<void>((resolve) =>
    signal.addEventListener('abort', () => resolve(), { once: true }),
  )
  if (!signal.aborted) await Promise.race([work, aborted])
}

function countTools(host: Host): string {
  const { length } = host.tools()
  return `${length} tool${length === 1 ? ' is' : 's are'} offered`
}

function drawList(servers: readonly ServerStatus[], host: Host, { style, width, path }: Canvas): string {
  const counts = new Map<string, number>()
  for (const { server } of host.tools()) counts.set(server, (counts.get(server) ?? 0) + 1)
  return renderTable<ServerStatus>(
    [
      { title: 'SERVER', value: ({ name }) => name, fit: 'essential', paint: style.bold },
      {
        title: 'STATE',
        value: (server) => describeState(server).word,
        paint: (text, server) => paintTone(text, describeState(server).tone, style),
      },
      { title: 'TOOLS', value: ({ name }) => String(counts.get(name) ?? ''), align: 'right' },
      { title: 'COMMAND OR URL', value: ({ server }) => endpointText(server), fit: { shrinkTo: 16 } },
      {
        title: 'DECLARED IN',
        value: ({ server }) => path(server.origin.file),
        fit: { shrinkTo: 14 },
        paint: style.dim,
      },
    ],
    servers,
    { width, paintTitle: style.dim },
  )
}

/** The state of a server, with its reason and the next step. */
function drawState(subject: ServerStatus, { style, width = 80 }: Canvas): string {
  const facts = describeState(subject)
  const since = new Date(facts.since).toTimeString().slice(0, 8)
  const state = `${paintTone(facts.word, facts.tone, style)} since ${since}`
  const lines = detailsOf(subject, facts).flatMap((line) => wrap(escapeLine(line), width - 2))
  return [`${style.bold(escapeLine(subject.name))}  ${state}`, ...lines.map((line) => `  ${line}`)].join('\n')
}

function detailsOf({ name, status }: ServerStatus, { sentence, hint }: StateFacts): readonly string[] {
  const said = [sentence, hint].flatMap((line) => line ?? [])
  switch (status.state) {
    case 'ready':
      if (status.away) return said
      return [`MCP ${status.version}; capabilities: ${Object.keys(status.capabilities).join(', ') || 'none'}`]
    case 'untrusted':
      return [...said, `Look at it and decide: /mcp trust ${name}`]
    case 'disabled':
      return [...said, `Switch it on: /mcp enable ${name}`]
    default:
      return said
  }
}
