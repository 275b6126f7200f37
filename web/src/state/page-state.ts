import { batch, computed, signal } from '@preact/signals'
import type {
  ClientFacts,
  FeedEvent,
  GatewayFacts,
  LoginProgress,
  QuestionFacts,
  ServerRow,
  Snapshot,
} from '../../../src/client.ts'
import type { Connection } from './live.ts'

/** What the whole page knows, kept true by the events. Places load the rest themselves (`useAnswer`). */
export const servers = signal<readonly ServerRow[]>([])
/** Questions that wait for a person, the oldest first. */
export const questions = signal<readonly QuestionFacts[]>([])
export const logins = signal<readonly LoginProgress[]>([])
/** Clients of the gateways of this user. */
export const clients = signal<readonly ClientFacts[]>([])
/** Undefined until an event names them. */
export const gateways = signal<readonly GatewayFacts[] | undefined>(undefined)
export const counts = signal<Snapshot['counts']>({
  tools: 0,
  tokens: 0,
  resources: 0,
  prompts: 0,
  conversations: 0,
  problems: 0,
  brokenFiles: 0,
  held: 0,
})
export const notices = signal<Snapshot['notices']>([])
/** Undefined until the first snapshot. */
export const about = signal<Pick<Snapshot, 'version' | 'cwd' | 'shownCwd' | 'isDemo' | 'epoch'> | undefined>(
  undefined,
)
export const connection = signal<Connection>({ state: 'connecting' })
export const isLive = computed(() => connection.value.state === 'live')

type EventOf<Type extends FeedEvent['type']> = Extract<FeedEvent, { readonly type: Type }>
type Listener = (event: FeedEvent) => void

const listeners = new Map<FeedEvent['type'], Set<Listener>>()

/** Calls back for each event of a type, within the frame that draws it. Returns what ends it. */
export function onFeed<Type extends FeedEvent['type']>(
  type: Type,
  listener: (event: EventOf<Type>) => void,
): () => void {
  const all = listeners.get(type) ?? new Set()
  listeners.set(type, all)
  const each: Listener = (event) => listener(event as EventOf<Type>) // only events of the type come here
  all.add(each)
  return () => all.delete(each)
}

/** Applies the events of one frame; everything is drawn once afterwards. */
export function applyEvents(events: readonly FeedEvent[]): void {
  batch(() => {
    for (const event of events) {
      applyEvent(event)
      for (const listener of listeners.get(event.type) ?? []) guarded(listener, event)
    }
  })
}

/** A fault of one place must not cut the others off. */
function guarded(listener: Listener, event: FeedEvent): void {
  try {
    listener(event)
  } catch (error) {
    reportError(error)
  }
}

function applyEvent(event: FeedEvent): void {
  switch (event.type) {
    case 'snapshot':
      applySnapshot(event.snapshot)
      break
    case 'server.changed':
      servers.value = replaced(servers.value, event.server, (each) => each.name)
      break
    case 'server.removed':
      servers.value = servers.value.filter(({ name }) => name !== event.name)
      break
    case 'question.changed':
      questions.value =
        event.question.state === 'pending'
          ? replaced(questions.value, event.question, (each) => each.id)
          : questions.value.filter(({ id }) => id !== event.question.id)
      break
    case 'clients.changed':
      clients.value = event.clients
      gateways.value = event.gateways
      break
    case 'login.changed':
      logins.value = replaced(logins.value, event.login, (each) => each.id)
      break
    case 'tools.changed':
    case 'config.changed':
    case 'counts.changed':
      counts.value = event.counts
      break
    case 'notice':
      notices.value = [...notices.value, event].slice(-20)
      break
    default:
      break
  }
}

function applySnapshot(snapshot: Snapshot): void {
  const { version, cwd, shownCwd, isDemo, epoch } = snapshot
  about.value = { version, cwd, shownCwd, isDemo, epoch }
  servers.value = snapshot.servers
  questions.value = snapshot.questions
  logins.value = snapshot.logins
  clients.value = snapshot.clients
  gateways.value = undefined
  counts.value = snapshot.counts
  notices.value = snapshot.notices
}

/** The list with an item in the place of the one with its key, or at the end. */
export function replaced<T>(list: readonly T[], item: T, keyOf: (item: T) => string): readonly T[] {
  const at = list.findIndex((each) => keyOf(each) === keyOf(item))
  return at < 0 ? [...list, item] : list.with(at, item)
}
