import type { ClientCall, ClientFacts, GatewayFacts } from '../../api/client-routes.ts'
import { escapeLine } from '../../terminal/escape.ts'
import { callStates } from '../call-facts.ts'
import { countOf } from '../count-word.ts'
import type { ShortenPath } from '../place-facts.ts'
import type { DeskCall, DeskClientStatus, DeskStatus } from './desk-facts.ts'

/** A gateway as terminal and page show it. */
export function describeGateway(status: DeskStatus): GatewayFacts {
  const { pid, version, preset, url, startedAt, isLeaving, clients } = status
  const marks = [
    ...(preset === 'default' ? [] : [`preset ${preset}`]),
    ...(isLeaving ? [url === undefined ? 'takes no new clients: a newer version does' : 'stopping'] : []),
  ]
  return {
    id: String(pid),
    pid,
    version: escapeLine(version),
    preset: escapeLine(preset),
    ...(url !== undefined && { url: escapeLine(url) }),
    since: Date.parse(startedAt),
    isLeaving,
    clients: clients.length,
    ...(marks.length > 0 && { note: escapeLine(marks.join('; ')) }),
    ...(url === undefined && {
      command: preset === 'default' ? 'plugboard gateway stop' : `plugboard gateway stop --preset ${preset}`,
    }),
  }
}

/** The clients of a gateway, each with what it does now. What a client says about itself is not checked. */
export function describeClients(
  { pid: gateway, clients, folders }: DeskStatus,
  calls: readonly DeskCall[],
  shorten: ShortenPath,
): readonly ClientFacts[] {
  return clients.map((client) => {
    const { id, pid, caller, name, version, era, protocol, cwd, view, since } = client
    const open = calls.filter((call) => call.client === id && isOpen(call))
    const servers =
      folders.find((folder) => folder.cwd === cwd && (pid === undefined || folder.clients.includes(pid)))
        ?.servers ?? []
    const title = name ?? (pid === undefined ? (caller ?? 'a client') : `process ${pid}`)
    return {
      id,
      gateway: String(gateway),
      ...(pid !== undefined && { pid }),
      ...(caller !== undefined && { caller: escapeLine(caller).slice(0, maxName) }),
      name: escapeLine(title).slice(0, maxName),
      ...(version !== undefined && { version: escapeLine(version).slice(0, maxName) }),
      ...(era !== undefined && { era }),
      ...(protocol !== undefined && { protocol: escapeLine(protocol) }),
      folder: cwd,
      shownFolder: escapeLine(shorten(cwd)),
      ...(view !== undefined && { view: escapeLine(view) }),
      since: Date.parse(since),
      ...stateOf(client, open),
      running: open.length,
      servers: servers.map((each) => ({ name: escapeLine(each.name), state: each.state })),
    }
  })
}

/** `claude-code 2.1 (2025-11-25)`. */
export function clientTitle({
  name,
  version,
  protocol,
}: Pick<ClientFacts, 'name' | 'version' | 'protocol'>): string {
  return `${name}${version === undefined ? '' : ` ${version}`}${protocol === undefined ? '' : ` (${protocol})`}`
}

const maxName = 100

function isOpen({ state }: DeskCall): boolean {
  return state === 'running' || state === 'waits'
}

/** Shape, color and word, and why. */
function stateOf(
  { name, caller, requests }: DeskClientStatus,
  open: readonly DeskCall[],
): Pick<ClientFacts, 'tone' | 'word' | 'sentence'> {
  const asks = open.find(({ asks: asked }) => asked?.of === 'person')
  if (asks) return { tone: 'ask', word: 'waits for you', sentence: `${subjectOf(asks)} needs your answer.` }
  const asked = open.find(({ state }) => state === 'waits')
  if (asked) return { tone: 'warn', word: 'asked', sentence: `${subjectOf(asked)} asked in the client.` }
  const [first] = open
  if (first)
    return {
      tone: 'ok',
      word: 'calls',
      sentence:
        open.length === 1
          ? `${subjectOf(first)} runs.`
          : `${countOf(open.length, 'call')} run, the first is ${subjectOf(first)}.`,
    }
  if (name === undefined && caller === undefined && requests === 0)
    return { tone: 'dim', word: 'connected', sentence: 'It has not said what it is yet.' }
  return {
    tone: 'dim',
    word: 'idle',
    sentence: caller === undefined ? 'Connected; no call runs.' : 'No call runs.',
  }
}

function subjectOf({ server, name }: Pick<DeskCall, 'server' | 'name'>): string {
  return escapeLine(server === '' ? name : `${server} ${name}`)
}

const words: Readonly<
  Record<DeskCall['state'], { readonly tone: ClientCall['tone']; readonly word: string }>
> = {
  ...callStates,
  asked: { tone: 'warn', word: 'asked its client' },
}

/** A call of a client in words. */
export function describeClientCall(call: DeskCall): ClientCall {
  const { id, client, kind, server, name, state, asks, at, ms, progress, reason } = call
  const detail = progress ? progressText(progress) : reason
  const isForClient = state === 'waits' && asks?.of === 'client'
  return {
    id,
    client,
    kind,
    server: escapeLine(server),
    name: escapeLine(name),
    state,
    ...(isForClient ? { tone: 'warn' as const, word: 'waits for its client' } : words[state]),
    at,
    ...(ms !== undefined && { ms }),
    ...(detail !== undefined && { detail: escapeLine(detail) }),
    ...(asks?.question !== undefined && { question: asks.question }),
  }
}

/** `3 of 24 week 3`, `3`. */
function progressText({ progress, total, message }: NonNullable<DeskCall['progress']>): string {
  const done = total === undefined ? String(progress) : `${progress} of ${total}`
  return message === undefined ? done : `${done} ${message}`
}

/** How a client gets to the gateway: by a command, or by an entry that a person writes. */
export const connectFacts = {
  sentence: 'No client is connected. Clients that have this entry share one set of servers.',
  command: 'plugboard adopt',
  entry: JSON.stringify({ mcpServers: { plugboard: { command: 'plugboard', args: ['gateway'] } } }, null, 2),
} as const
