import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from './file-error.ts'
import { userId } from './lock-directory.ts'
import type { Release } from './lock-file.ts'

/**
 * A lock as a queue of sockets in a private directory (Linux). A member of the queue is a listening socket `NAME.ID`; it
 * lives exactly as long as a connection to it succeeds, so the kernel reports the death of a killed member. The order is
 * that of Lamport's bakery: a new member first shows its socket, then takes a ticket `NAME.ID.N` above all tickets there
 * are. It holds the lock when no living member is without a ticket or has a lower one.
 *
 * Ids are never reused, so a dead member stays dead, and each process may remove its files.
 */
export async function takeTurn(
  directory: string,
  name: string,
  deadline: number,
): Promise<Release | undefined> {
  const queue = new Queue(directory, name)
  const member = await queue.enter()
  try {
    for (;;) {
      const blocker = queue.findBlocker(member)
      if (!blocker) return () => queue.leave(member)
      const waitMs = deadline - performance.now()
      if (waitMs <= 0) break
      await queue.waitFor(blocker, waitMs)
    }
  } catch (error) {
    await queue.leave(member)
    throw error
  }
  await queue.leave(member)
  return undefined
}

interface Place {
  readonly id: string
  /** Absent between entering and taking a ticket. */
  readonly ticket?: number
}

interface Member extends Required<Place> {
  readonly server: Server
  readonly waiting: Set<Socket>
}

/** How often a member without a ticket is looked at again: it takes one within a millisecond, unless it is stopped. */
const ticketPauseMs = 2

/** After this time the process that created a draft must have been killed. */
const draftMs = 60_000

class Queue {
  readonly #directory: string
  readonly #name: string
  readonly #addresses: SocketAddresses

  constructor(directory: string, name: string) {
    this.#directory = directory
    this.#name = name
    this.#addresses = new SocketAddresses(directory)
  }

  async enter(): Promise<Member> {
    const waiting = new Set<Socket>()
    const server = createServer((socket) => {
      waiting.add(socket)
      socket.on('error', () => undefined).on('close', () => waiting.delete(socket))
    })
    const id = randomBytes(8).toString('hex')
    try {
      await this.#show(id, server)
      const ticket = 1 + Math.max(0, ...this.#places().map((place) => place.ticket ?? 0))
      writeFileSync(this.#path(`${id}.${ticket}`), '', { flag: 'wx', mode: 0o600 })
      return { id, ticket, server, waiting }
    } catch (error) {
      this.#remove(id)
      await this.#close(server)
      throw error
    }
  }

  /** Gives the socket its name only when it listens: before, a connection would fail and it would count as dead. */
  async #show(id: string, server: Server): Promise<void> {
    for (;;) {
      await listen(server, this.#addresses.of(`${this.#name}.${id}.new`))
      try {
        return renameSync(this.#path(`${id}.new`), this.#path(id))
      } catch (error) {
        // Another process took it for left over.
        if (codeOf(error) !== 'ENOENT' || !existsSync(this.#directory)) throw error
        await new Promise((done) => server.close(done))
      }
    }
  }

  /** The last member before this one; else a member that may still take a lower ticket. */
  findBlocker(member: Member): Place | undefined {
    const others = this.#places().filter(({ id }) => id !== member.id)
    const before = others.filter((other) => isBefore(other, member))
    return before.sort((one, other) => (isBefore(one, other) ? 1 : -1))[0] ?? others.find(isUndecided)
  }

  /** Returns when the queue may have changed: the member is gone or dead, or has had time to take a ticket. */
  async waitFor(blocker: Place, maxMs: number): Promise<void> {
    const isOurs = lstatSync(this.#path(blocker.id), { throwIfNoEntry: false })?.uid === userId()
    const address = this.#addresses.of(`${this.#name}.${blocker.id}`)
    const found = isOurs ? await untilClosed(address, isUndecided(blocker) ? ticketPauseMs : maxMs) : 'dead'
    if (found === 'dead') this.#remove(blocker.id, blocker.ticket)
    else if (found === 'busy') await sleep(ticketPauseMs)
  }

  async leave({ id, ticket, server, waiting }: Member): Promise<void> {
    this.#remove(id, ticket)
    for (const socket of waiting) socket.destroy()
    await this.#close(server)
  }

  async #close(server: Server): Promise<void> {
    await new Promise((done) => server.close(done))
    this.#addresses.close()
  }

  /** The members, living or dead. Files that a killed process left beside them are removed. */
  #places(): readonly Place[] {
    const files = readdirSync(this.#directory)
      .filter((file) => file.startsWith(`${this.#name}.`))
      .map((file) => file.slice(this.#name.length + 1).split('.'))
    const tickets = new Map(
      files.flatMap(([id = '', rest]) => (/^\d+$/.test(rest ?? '') ? [[id, Number(rest)]] : [])),
    )
    for (const [id = '', rest] of files) if (rest === 'new') this.#removeOldDraft(this.#path(`${id}.new`))
    const places = files.flatMap(([id = '', rest]): Place[] => {
      const ticket = tickets.get(id)
      return rest === undefined ? [{ id, ...(ticket !== undefined && { ticket }) }] : []
    })
    const shown = new Set(places.map(({ id }) => id))
    for (const [id, ticket] of tickets) {
      // The socket is there before its ticket, so a ticket without a socket is left over.
      if (!shown.has(id) && !existsSync(this.#path(id)))
        rmSync(this.#path(`${id}.${ticket}`), { force: true })
    }
    return places
  }

  /** A draft gets its name within a millisecond. Removing one too early does no harm: its process tries again. */
  #removeOldDraft(path: string): void {
    const draft = lstatSync(path, { throwIfNoEntry: false })
    if (draft && Date.now() - draft.mtimeMs > draftMs) rmSync(path, { force: true })
  }

  /** The socket first: a member without a ticket would make others wait. */
  #remove(id: string, ticket?: number): void {
    rmSync(this.#path(id), { force: true })
    if (ticket !== undefined) rmSync(this.#path(`${id}.${ticket}`), { force: true })
  }

  #path(rest: string): string {
    return join(this.#directory, `${this.#name}.${rest}`)
  }
}

function isUndecided({ ticket }: Place): boolean {
  return ticket === undefined
}

function isBefore(one: Place, other: Place): boolean {
  if (one.ticket === undefined || other.ticket === undefined) return false
  return one.ticket < other.ticket || (one.ticket === other.ticket && one.id < other.id)
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    // Exclusive: a worker of a cluster would otherwise let its primary listen, which lives longer.
    server.listen({ path, exclusive: true }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Connects to a member and waits until it closes the connection or ends. `dead`: nothing listens there. */
function untilClosed(address: string, maxMs: number): Promise<'dead' | 'busy' | 'changed'> {
  return new Promise((resolve) => {
    const socket = connect(address)
    const timer = setTimeout(() => socket.destroy(), maxMs)
    let found: 'dead' | 'busy' | 'changed' = 'changed'
    socket.on('error', (error) => {
      const code = codeOf(error)
      if (code === 'ECONNREFUSED' || code === 'ENOENT') found = 'dead'
      else if (code !== 'ECONNRESET' && code !== 'EPIPE') found = 'busy'
    })
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(found)
    })
    socket.resume()
  })
}

/** The longest path of a socket on Linux, in bytes. */
const maxAddress = 107
/** The length of the longest file name that is added to the directory. */
const maxName = 48

/** The addresses of sockets in a directory. If its path is too long for them, it is opened and named by its descriptor. */
class SocketAddresses {
  readonly #directory: string
  readonly #descriptor: number | undefined

  constructor(directory: string) {
    const isShort = Buffer.byteLength(directory) + maxName <= maxAddress
    this.#descriptor = isShort ? undefined : openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY)
    this.#directory = this.#descriptor === undefined ? directory : `/proc/self/fd/${this.#descriptor}`
  }

  of(file: string): string {
    return join(this.#directory, file)
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
  }
}
