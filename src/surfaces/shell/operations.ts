import { HostError } from '../../index.ts'
import type { Host, ServerStatus, Status } from '../../index.ts'
import { findServer, isResting, redactCommand, redactText, shownFailure } from '../../internal.ts'
import { escapeLine } from '../terminal/escape.ts'
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

/** The states as people read them. */
export const states: Readonly<Record<Status['state'], string>> = {
  ready: 'ready',
  idle: 'idle',
  connecting: 'connecting',
  waiting: 'retrying',
  failed: 'failed',
  'needs-auth': 'needs login',
  untrusted: 'needs trust',
  disabled: 'off',
  closed: 'closed',
}

function stateWord(status: Status): string {
  if (isResting(status)) return 'resting'
  return isAway(status) ? 'away' : states[status.state]
}

function drawList(servers: readonly ServerStatus[], host: Host, { style, width, path }: Canvas): string {
  const counts = new Map<string, number>()
  for (const { server } of host.tools()) counts.set(server, (counts.get(server) ?? 0) + 1)
  return renderTable<ServerStatus>(
    [
      { title: 'SERVER', value: ({ name }) => name, fit: 'essential', paint: style.bold },
      {
        title: 'STATE',
        value: ({ status }) => stateWord(status),
        paint: (text, { status }) => paintState(text, status, style),
      },
      { title: 'TOOLS', value: ({ name }) => String(counts.get(name) ?? ''), align: 'right' },
      { title: 'COMMAND OR URL', value: endpointOf, fit: { shrinkTo: 16 } },
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

function isAway(status: Status): boolean {
  return status.state === 'ready' && status.away !== undefined
}

function paintState(text: string, status: Status, style: Canvas['style']): string {
  const { state } = status
  if (isAway(status)) return style.yellow(text)
  if (state === 'ready') return style.green(text)
  if (state === 'failed') return style.red(text)
  return state === 'idle' || state === 'disabled' || state === 'closed' ? style.dim(text) : style.yellow(text)
}

function endpointOf({ server: { transport } }: ServerStatus): string {
  if (transport.kind !== 'stdio') return redactText(transport.url)
  return redactCommand(transport.command, transport.args)
}

/** The state of a server, with its reason and the next step. */
function drawState({ name, status }: ServerStatus, { style, width = 80 }: Canvas): string {
  const since = new Date(status.since).toTimeString().slice(0, 8)
  const state = `${paintState(stateWord(status), status, style)} since ${since}`
  const lines = detailsOf(name, status).flatMap((line) => wrap(escapeLine(line), width - 2))
  return [`${style.bold(escapeLine(name))}  ${state}`, ...lines.map((line) => `  ${line}`)].join('\n')
}

function detailsOf(name: string, status: Status): readonly string[] {
  switch (status.state) {
    case 'ready':
      if (status.away) return [status.away.message, status.away.hint]
      return [`MCP ${status.version}; capabilities: ${Object.keys(status.capabilities).join(', ') || 'none'}`]
    case 'connecting':
      return [`step: ${status.step}`]
    case 'failed':
    case 'waiting':
    case 'needs-auth': {
      const { message, hint } = shownFailure(name, status)
      return [message, hint].filter(Boolean)
    }
    case 'untrusted':
      return [`Look at it and decide: /mcp trust ${name}`]
    case 'disabled':
      return [`Switch it on: /mcp enable ${name}`]
    default:
      return []
  }
}
