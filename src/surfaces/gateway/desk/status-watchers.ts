import type { Socket } from 'node:net'
import type { DeskCall, DeskNews, DeskStatus } from '../../facts/desk/desk-facts.ts'
import { writeLine } from './socket-lines.ts'

/** Many changes come together: a status is sent at most this often. */
const statusMs = 50
/** A watcher that does not read is dropped beyond this many bytes; it may connect again. */
const maxUnread = 1024 * 1024

/** The programs that watch a gateway. What they do not read costs at most their limit. */
export class StatusWatchers {
  readonly #sockets = new Set<Socket>()
  readonly #status: () => DeskStatus
  readonly #onWatched: (isWatched: boolean) => void
  #timer: NodeJS.Timeout | undefined

  /** @param onWatched Whether there are watchers now. */
  constructor(status: () => DeskStatus, onWatched: (isWatched: boolean) => void = () => undefined) {
    this.#status = status
    this.#onWatched = onWatched
  }

  /** Sends everything, and then what changes until the watcher leaves. */
  add(socket: Socket, calls: readonly DeskCall[]): void {
    writeLine(socket, { status: this.#status(), calls } satisfies DeskNews)
    this.#sockets.add(socket)
    this.#onWatched(true)
    // A watcher sends nothing more. Only a socket that is read shows that its other end is gone.
    socket.resume().on('close', () => {
      this.#sockets.delete(socket)
      this.#onWatched(this.#sockets.size > 0)
    })
  }

  called(call: DeskCall): void {
    this.#send({ call })
    this.changed()
  }

  /** Clients, their requests or their servers have changed. */
  changed(): void {
    if (this.#sockets.size === 0) return
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#send({ status: this.#status() })
    }, statusMs)
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const socket of this.#sockets) socket.end()
  }

  #send(news: DeskNews): void {
    for (const socket of this.#sockets)
      if (socket.writableLength > maxUnread) socket.destroy()
      else writeLine(socket, news)
  }
}
