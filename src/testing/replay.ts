import { canonicalize } from '../model/canonical.ts'
import type { JsonObject } from '../model/json.ts'
import { isObject } from '../model/json.ts'
import type { Channel, OpenChannel, Receiver } from '../wire/channel.ts'
import type { Outgoing, RequestId } from '../wire/message.ts'
import { WireError } from '../wire/wire-error.ts'
import { readCassette } from './cassette.ts'
import type { CassetteLine, RecordedError } from './cassette.ts'

/**
 * Answers as the recorded server did. A request is found by its method and its parameters, without `_meta` and
 * `clientInfo`; asked more often than it was recorded, it gets its last answer again. One that was never recorded fails.
 */
export function replayCassette(text: string): OpenChannel {
  const lines = readCassette(text)
  const head = lines[0]
  const kind = head && 'cassette' in head ? head.kind : 'memory'
  return (receiver) => replay(toScenes(lines), kind, receiver)
}

type Reaction = Exclude<CassetteLine, { readonly cassette: 1 } | { readonly sent: Outgoing }>

/** Something the client said, and what the server said because of it. */
interface Scene {
  readonly said?: Outgoing
  readonly reactions: { readonly line: Reaction; readonly after: readonly string[] }[]
}

interface Scenes {
  readonly opening: Scene
  /** By what the client said; several where it said the same several times. */
  readonly byKey: ReadonlyMap<string, readonly Scene[]>
}

/**
 * An answer belongs to its request, progress to the request with its token, everything else to what the client said last
 * before it. What came after the client had answered a question of the server waits for that answer again.
 */
function toScenes(lines: readonly CassetteLine[]): Scenes {
  const opening: Scene = { reactions: [] }
  const byKey = new Map<string, Scene[]>()
  const byId = new Map<unknown, Scene>()
  const byToken = new Map<unknown, Scene>()
  const answered: { readonly key: string; readonly at: number }[] = []
  const begun = new Map<Scene, number>([[opening, 0]])
  let last = opening
  for (const [at, line] of lines.entries()) {
    if ('cassette' in line) continue
    if ('sent' in line) {
      last = { said: line.sent, reactions: [] }
      begun.set(last, at)
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
    const from = begun.get(scene) ?? 0
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
  const said = new Set<string>()
  let waiting: { readonly after: readonly string[]; readonly react: () => void }[] = []
  let isOpen = true

  const play = (scene: Scene, message?: Outgoing) => {
    for (const { line, after } of scene.reactions) {
      waiting.push({ after, react: () => react(line, scene, message, receiver) })
    }
    queueMicrotask(settle)
  }
  const settle = () => {
    const held = waiting
    waiting = []
    for (const each of held) {
      if (!each.after.every((key) => said.has(key))) waiting.push(each)
      else if (isOpen) each.react()
    }
  }

  play(opening)
  return {
    kind,
    send(message) {
      const key = keyOf(message)
      said.add(key)
      const turn = turns.get(key) ?? 0
      turns.set(key, turn + 1)
      const scenes = byKey.get(key) ?? []
      const scene = scenes[Math.min(turn, scenes.length - 1)]
      if (scene) return play(scene, message)
      if ('method' in message && 'id' in message) {
        queueMicrotask(() => isOpen && receiver.failed(message.id, unrecorded(message)))
      }
    },
    abandon: () => 'untold',
    speak: () => undefined,
    async close() {
      isOpen = false
    },
  }
}

/** With the id and the token that count now. */
function react(line: Reaction, { said }: Scene, message: Outgoing | undefined, receiver: Receiver): void {
  if ('closed' in line) return receiver.closed(toError(line.closed))
  const id = message && 'id' in message ? message.id : undefined
  if ('failed' in line) return receiver.failed(id ?? line.failed, toError(line.error))
  const came = line.came
  if (!isObject(came) || !said || !message) return receiver.message(came)
  const isAnswer = came['method'] === undefined && 'id' in said && came['id'] === said.id
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

function unrecorded(message: { readonly method: string; readonly params?: JsonObject }): WireError {
  const params = message.params ? ` ${JSON.stringify(message.params).slice(0, 200)}` : ''
  return new WireError('protocol', `The cassette has no request ${message.method}${params}.`)
}

function keyOf(message: Outgoing): string {
  if (!('method' in message)) return `answer ${String(message.id)}`
  const { _meta, clientInfo: _clientInfo, ...params } = message.params ?? {}
  return `${message.method} ${canonicalize(params)}`
}

function tokenOf(message: Outgoing): RequestId | undefined {
  const meta = 'method' in message ? message.params?.['_meta'] : undefined
  const token = isObject(meta) ? meta['progressToken'] : undefined
  return typeof token === 'string' || typeof token === 'number' ? token : undefined
}
