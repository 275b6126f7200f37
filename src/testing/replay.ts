import { canonicalize } from '../model/canonical.ts'
import type { JsonObject } from '../model/json.ts'
import { isObject } from '../model/json.ts'
import type { Channel, OpenChannel, Receiver } from '../wire/channel.ts'
import type { OutgoingMessage, RequestId } from '../wire/message.ts'
import { WireError } from '../wire/wire-error.ts'
import { readCassette } from './cassette.ts'
import type { CassetteLine, RecordedError } from './cassette.ts'

/**
 * Replays a recorded server. A request is matched by method and parameters, without `_meta` and `clientInfo`. Repeated
 * more often than recorded, it gets its last response again. A request that was not recorded fails.
 */
export function replayCassette(text: string): OpenChannel {
  const lines = readCassette(text)
  const head = lines[0]
  const kind = head && 'cassette' in head ? head.kind : 'memory'
  return (receiver) => replay(toScenes(lines), kind, receiver)
}

type Reaction = Exclude<CassetteLine, { readonly cassette: 1 } | { readonly sent: OutgoingMessage }>

/** A message of the client, and what the server sent because of it. */
interface Scene {
  readonly sent?: OutgoingMessage
  readonly reactions: { readonly line: Reaction; readonly after: readonly string[] }[]
}

interface Scenes {
  readonly opening: Scene
  /** By message; several if the client sent the same message several times. */
  readonly byKey: ReadonlyMap<string, readonly Scene[]>
}

/**
 * Assigns each line of the server to a message of the client: a response to its request, progress to the request with
 * its token, everything else to the last message before it. A line that followed the client's response to a request of
 * the server waits for that response again.
 */
function toScenes(lines: readonly CassetteLine[]): Scenes {
  const opening: Scene = { reactions: [] }
  const byKey = new Map<string, Scene[]>()
  const byId = new Map<unknown, Scene>()
  const byToken = new Map<unknown, Scene>()
  const answered: { readonly key: string; readonly at: number }[] = []
  const startedAt = new Map<Scene, number>([[opening, 0]])
  let last = opening
  for (const [at, line] of lines.entries()) {
    if ('cassette' in line) continue
    if ('sent' in line) {
      last = { sent: line.sent, reactions: [] }
      startedAt.set(last, at)
      const key = keyOf(line.sent)
      const same = byKey.get(key)
      if (same) same.push(last)
      else byKey.set(key, [last])
      if (!('method' in line.sent)) answered.push({ key, at })
      else if ('id' in line.sent) byId.set(line.sent.id, last)
      const token = tokenOf(line.sent)
      if (token !== undefined) byToken.set(token, last)
      continue
    }
    const scene = causeOf(line, byId, byToken) ?? last
    const from = startedAt.get(scene) ?? 0
    const after = answered.filter((answer) => answer.at > from).map(({ key }) => key)
    scene.reactions.push({ line, after })
  }
  return { opening, byKey }
}

function causeOf(
  line: Reaction,
  byId: ReadonlyMap<unknown, Scene>,
  byToken: ReadonlyMap<unknown, Scene>,
): Scene | undefined {
  if ('failed' in line) return byId.get(line.failed)
  if ('closed' in line || !isObject(line.came)) return undefined
  const { method, id, params } = line.came
  if (method === undefined) return byId.get(id)
  return method === 'notifications/progress' && isObject(params)
    ? byToken.get(params['progressToken'])
    : undefined
}

function replay({ opening, byKey }: Scenes, kind: Channel['kind'], receiver: Receiver): Channel {
  const turns = new Map<string, number>()
  const sentKeys = new Set<string>()
  let pending: { readonly after: readonly string[]; readonly react: () => void }[] = []
  let isOpen = true

  const play = (scene: Scene, message?: OutgoingMessage) => {
    for (const { line, after } of scene.reactions) {
      pending.push({ after, react: () => react(line, scene, message, receiver) })
    }
    queueMicrotask(runDue)
  }
  const runDue = () => {
    const candidates = pending
    pending = []
    for (const each of candidates) {
      if (!each.after.every((key) => sentKeys.has(key))) pending.push(each)
      else if (isOpen) each.react()
    }
  }

  play(opening)
  return {
    kind,
    send(message) {
      const key = keyOf(message)
      sentKeys.add(key)
      const turn = turns.get(key) ?? 0
      turns.set(key, turn + 1)
      const scenes = byKey.get(key) ?? []
      const scene = scenes[Math.min(turn, scenes.length - 1)]
      if (scene) return play(scene, message)
      if ('method' in message && 'id' in message) {
        queueMicrotask(() => isOpen && receiver.failed(message.id, unrecordedError(message)))
      }
    },
    abandon: () => 'untold',
    speak: () => undefined,
    async close() {
      isOpen = false
    },
  }
}

/** Delivers a recorded line with the current id and progress token. */
function react(
  line: Reaction,
  { sent }: Scene,
  message: OutgoingMessage | undefined,
  receiver: Receiver,
): void {
  if ('closed' in line) return receiver.closed(toError(line.closed))
  const id = message && 'id' in message ? message.id : undefined
  if ('failed' in line) return receiver.failed(id ?? line.failed, toError(line.error))
  const came = line.came
  if (!isObject(came) || !sent || !message) return receiver.message(came)
  const isAnswer = came['method'] === undefined && 'id' in sent && came['id'] === sent.id
  if (isAnswer && id !== undefined) return receiver.message({ ...came, id })
  const token = tokenOf(message)
  const params = came['params']
  const isProgress = came['method'] === 'notifications/progress' && isObject(params)
  if (!isProgress || token === undefined) return receiver.message(came)
  receiver.message({ ...came, params: { ...params, progressToken: token } })
}

function toError({ code, message, sent, facts }: RecordedError): WireError {
  return new WireError(code, message, { sent, facts })
}

function unrecordedError(message: { readonly method: string; readonly params?: JsonObject }): WireError {
  const params = message.params ? ` ${JSON.stringify(message.params).slice(0, 200)}` : ''
  return new WireError('protocol', `The cassette has no request ${message.method}${params}.`)
}

function keyOf(message: OutgoingMessage): string {
  if (!('method' in message)) return `answer ${String(message.id)}`
  const { _meta, clientInfo: _clientInfo, ...params } = message.params ?? {}
  return `${message.method} ${canonicalize(params)}`
}

function tokenOf(message: OutgoingMessage): RequestId | undefined {
  const meta = 'method' in message ? message.params?.['_meta'] : undefined
  const token = isObject(meta) ? meta['progressToken'] : undefined
  return typeof token === 'string' || typeof token === 'number' ? token : undefined
}
