import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { isObject } from '../../../internal.ts'
import type { DeskCall, DeskNews, DeskStatus, FollowedDesks } from '../../facts/desk/desk-facts.ts'
import { deskOwner } from './desk-address.ts'
import type { DeskOwner } from './desk-address.ts'
import { deskSockets } from './desk-control.ts'

export interface WatchOptions {
  /** Without one: the gateways of all presets. */
  readonly preset?: string | undefined
  /** Whose home and variables count; those of this process by default. */
  readonly account?: {
    readonly home: string
    readonly env: Readonly<Record<string, string | undefined>> | undefined
  }
  /** Gateways, their clients or their servers have changed. */
  readonly onStatus: (gateways: readonly DeskStatus[]) => void
  readonly onCall: (call: DeskCall) => void
}

/** How often it is looked for gateways that have started. */
const lookMs = 1000
/** A gateway of an older version cannot be watched, and is tried again after this long. */
const restMs = 10_000
/** A line that is longer is no message of ours. */
const maxLine = 16 * 1024 * 1024

interface Watched {
  readonly socket: Socket
  /** The address it has; another one when a newer version takes over. */
  path: string
  isConnected?: boolean
  status?: DeskStatus
}

/** Follows the gateways of this user: those that run, and those that start later. */
export class DeskWatch implements FollowedDesks {
  readonly #options: WatchOptions
  readonly #owner: DeskOwner
  readonly #watched = new Map<string, Watched>()
  readonly #restUntil = new Map<string, number>()
  readonly #calls = new Map<string, DeskCall>()
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(options: WatchOptions) {
    this.#options = options
    this.#owner = ownerOf(options)
  }

  get gateways(): readonly DeskStatus[] {
    return [...this.#watched.values()].flatMap(({ status }) => status ?? [])
  }

  get calls(): readonly DeskCall[] {
    return [...this.#calls.values()]
  }

  /** Begins, and resolves when the gateways that run now are known. */
  async begin(): Promise<void> {
    const first = this.#look()
    this.#timer = setInterval(() => void this.#look(), lookMs)
    await first
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    clearInterval(this.#timer)
    for (const { socket } of this.#watched.values()) socket.destroy()
    this.#watched.clear()
  }

  async #look(): Promise<void> {
    const now = Date.now()
    const found = deskSockets(this.#options.preset, this.#owner).filter(
      (path) => !this.#watched.has(path) && (this.#restUntil.get(path) ?? 0) <= now,
    )
    await Promise.all(found.map((path) => this.#follow(path)))
  }

  /** Resolves with the first message, or when there is none. */
  #follow(path: string): Promise<void> {
    return new Promise((known) => {
      const socket = connect(path)
      const watched: Watched = { socket, path }
      this.#watched.set(path, watched)
      let held = ''
      socket.on('connect', () => {
        watched.isConnected = true
        socket.write(`${JSON.stringify({ plugboard: 1, command: 'watch' })}\n`)
      })
      socket.setEncoding('utf8').on('data', (chunk: string) => {
        const lines = (held + chunk).split('\n')
        held = lines.pop() ?? ''
        if (held.length > maxLine) return socket.destroy()
        for (const line of lines) this.#receive(watched, line)
        return known()
      })
      socket
        .on('error', () => undefined)
        .on('close', () => {
          this.#ended(watched)
          known()
        })
    })
  }

  #receive(watched: Watched, line: string): void {
    const news = readNews(line)
    if (!news || this.#isOver) return
    if ('call' in news) {
      this.#keep(news.call)
      return this.#options.onCall(news.call)
    }
    watched.status = news.status
    if (news.status.socket !== watched.path) this.#move(watched, news.status.socket)
    for (const call of news.calls ?? []) {
      this.#keep(call)
      this.#options.onCall(call)
    }
    return this.#options.onStatus(this.gateways)
  }

  /** It goes on elsewhere, so that what listens at its address now is followed too. */
  #move(watched: Watched, path: string): void {
    this.#watched.delete(watched.path)
    const second = this.#watched.get(path)
    this.#watched.set(path, watched)
    watched.path = path
    second?.socket.destroy()
  }

  #keep(call: DeskCall): void {
    this.#calls.delete(call.id)
    this.#calls.set(call.id, call)
    const [oldest] = this.#calls.keys()
    if (this.#calls.size > maxCalls && oldest !== undefined) this.#calls.delete(oldest)
  }

  #ended(watched: Watched): void {
    const { path } = watched
    if (this.#isOver || this.#watched.get(path) !== watched) return
    this.#watched.delete(path)
    if (!watched.status) {
      if (watched.isConnected) this.#restUntil.set(path, Date.now() + restMs)
      return
    }
    const prefix = `${watched.status.pid}-`
    for (const id of this.#calls.keys()) if (id.startsWith(prefix)) this.#calls.delete(id)
    this.#options.onStatus(this.gateways)
  }
}

const maxCalls = 500

/** A demo has a home of its own, and sees no gateway of the person. */
function ownerOf({ account }: WatchOptions): DeskOwner {
  const owner = deskOwner()
  if (!account) return owner
  const { home, env = owner.env } = account
  return { ...owner, env: { ...env, [owner.os === 'win32' ? 'USERPROFILE' : 'HOME']: home } }
}

function readNews(line: string): DeskNews | undefined {
  try {
    const value = JSON.parse(line) as unknown
    return isObject(value) && (isObject(value['status']) || isObject(value['call']))
      ? (value as unknown as DeskNews) // of our own program
      : undefined
  } catch {
    return undefined
  }
}
