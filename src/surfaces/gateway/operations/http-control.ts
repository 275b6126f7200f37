import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { join } from 'node:path'
import { version } from '../../../index.ts'
import { isObject } from '../../../internal.ts'
import type { DeskStatus } from '../../facts/desk/desk-facts.ts'
import { deskAddress, deskOwner, openDeskDirectory } from '../desk/desk-address.ts'
import { DeskCalls } from '../desk/desk-calls.ts'
import { listenPrivately, removeLeftSockets } from '../desk/private-socket.ts'
import { readFirstLine, writeLine } from '../desk/socket-lines.ts'
import { StatusWatchers } from '../desk/status-watchers.ts'
import type { Gateway } from '../gateway.ts'
import { HttpClients } from './http-clients.ts'

/** How long a connection may take to say what it wants, and how often it is looked for clients that are gone. */
const openingMs = 10_000
const lookMs = 30_000

/**
 * Shows the callers of a gateway over HTTP to `plugboard serve` and `plugboard gateway status` of the same user, as the desk
 * shows its clients: over a socket in the private directory of the account. It can be watched, and not stopped, from there.
 */
export class HttpControl {
  readonly clients: HttpClients
  readonly calls: DeskCalls
  readonly #watchers: StatusWatchers
  readonly #place: { readonly cwd: string; readonly preset: string }
  readonly #startedAt = new Date().toISOString()
  #served: { readonly gateway: Gateway; readonly url: string; readonly socket: string } | undefined
  #server: Server | undefined
  #timer: NodeJS.Timeout | undefined
  #isLeaving = false

  constructor(place: { readonly cwd: string; readonly preset: string }) {
    this.#place = place
    this.#watchers = new StatusWatchers(
      () => this.#status(),
      (isWatched) => (this.clients.isWatched = isWatched),
    )
    this.clients = new HttpClients(() => this.#watchers.changed())
    this.calls = new DeskCalls((call) => this.#watchers.called(call))
  }

  /** Throws if there can be no socket: then nothing shows the callers, and they are served all the same. */
  async listen(gateway: Gateway, url: string): Promise<void> {
    // A pipe of Windows cannot be found by its name.
    if (process.platform === 'win32') return
    const { directory, scope, socket: desk } = deskAddress(deskOwner(), this.#place.preset)
    openDeskDirectory({ directory, scope, socket: desk })
    removeLeftSockets(directory, `${scope}-http-`)
    const socket = join(directory, `${scope}-http-${process.pid}.sock`)
    this.#served = { gateway, url, socket }
    const server = createServer({ allowHalfOpen: false }, (connection) => void this.#accept(connection))
    this.#server = server
    await listenPrivately(server, socket)
    // Its own work is done without it.
    server.unref()
    gateway.host.on((event) => event.type === 'server.changed' && this.#watchers.changed(), { calls: false })
    this.#timer = setInterval(() => this.clients.forgetIdle() && this.#watchers.changed(), lookMs).unref()
  }

  /** It answers those who watch until `close`. */
  leave(): void {
    this.#isLeaving = true
    this.#watchers.changed()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#watchers.close()
    this.#server?.close()
  }

  #status(): DeskStatus {
    const { cwd, preset } = this.#place
    const { gateway, url = '', socket = '' } = this.#served ?? {}
    const servers = gateway?.host.servers() ?? []
    return {
      pid: process.pid,
      version,
      preset,
      socket,
      url,
      startedAt: this.#startedAt,
      isLeaving: this.#isLeaving,
      clients: this.clients.status(cwd),
      folders: [
        {
          cwd,
          clients: [],
          servers: servers.map(({ name, status }) => ({ name, state: status.state })),
        },
      ],
    }
  }

  async #accept(socket: Socket): Promise<void> {
    socket.unref()
    socket.on('error', () => socket.destroy())
    const timer = setTimeout(() => socket.destroy(), openingMs)
    const text = await readFirstLine(socket)
    clearTimeout(timer)
    const command = commandOf(text)
    if (command === 'watch') return this.#watchers.add(socket, this.calls.all())
    if (command === 'status') writeLine(socket, this.#status())
    return void socket.end()
  }
}

function commandOf(text: string | undefined): unknown {
  try {
    const opening: unknown = JSON.parse(text ?? '')
    return isObject(opening) && opening['plugboard'] === 1 ? opening['command'] : undefined
  } catch {
    return undefined
  }
}
