// The whole of what a client starts: it has to start as fast as Node itself, so it imports only small modules of Node.
import { fstatSync, statSync } from 'node:fs'
import { Socket, connect } from 'node:net'
import { resolve } from 'node:path'
import { ClientSession, splitLines } from './client-session.ts'
import { commonVariables } from './common-variables.ts'
import { controlLine, splitControl } from './control-lines.ts'
import { deskAddress, deskOwner, openDeskDirectory } from './desk-address.ts'
import type { DeskAddress } from './desk-address.ts'
import type { DeskOpening, DeskReply, DeskRequest, DeskValues } from './desk-messages.ts'

/** Flags of `plugboard gateway` that the shim understands itself. */
const textFlags: ReadonlySet<string> = new Set(['view', 'cwd', 'config', 'source', 'preset'])
const switches: ReadonlySet<string> = new Set(['stdio', 'search', 'trust'])

/**
 * Reads a command line; `undefined` if anything in it is for the command itself: other flags, or something wrong, about
 * which the command has better messages.
 */
export function readShimArguments(args: readonly string[]): DeskRequest | undefined {
  const found: Record<string, string | true> = {}
  const source: string[] = []
  for (let at = 0; at < args.length; at++) {
    const [, name = '', , inline] = /^--([a-z]+)(=(.*))?$/s.exec(args[at] ?? '') ?? []
    if (switches.has(name) && inline === undefined) found[name] = true
    else if (textFlags.has(name)) {
      const value = inline ?? args[++at]
      if (value === undefined || value === '' || value.startsWith('-')) return undefined
      if (name === 'source') source.push(value)
      else if (found[name] !== undefined) return undefined
      else found[name] = value
    } else return undefined
  }
  const { stdio: _default, cwd = '.', ...rest } = found
  // It becomes part of a file name.
  if (rest['preset'] !== undefined && !/^[a-z]+$/.test(String(rest['preset']))) return undefined
  return { ...rest, cwd: resolve(String(cwd)), ...(source.length > 0 && { source }) }
}

export interface ShimOptions {
  readonly version: string
  /** The file that starts Plugboard. */
  readonly entry: string
}

/**
 * Connects the client that started this process with the gateway of its user, which is started if needed. Nothing is read
 * from the client before that, so that on failure the caller can serve it: then the result is the reason.
 */
export async function serveThroughDesk(
  request: DeskRequest,
  options: ShimOptions,
): Promise<{ readonly failure: string } | undefined> {
  try {
    if (!statSync(request.cwd).isDirectory()) throw new Error(`${request.cwd} is not a folder`)
    const address = deskAddress(deskOwner(), request.preset ?? 'default')
    openDeskDirectory(address)
    serveClient(await reachDesk(address, request, options), () => reachDesk(address, request, options))
    return undefined
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) }
  }
}

/** A gateway may end right after it took the connection; a newer one may have to be started first. */
const maxAttempts = 4

/** How long a gateway may take to answer: one that hangs must not keep its clients from being served. */
const answerMs = 30_000

/** A connection to the gateway that has taken this client. */
interface DeskLink {
  readonly socket: Socket
  onBytes: (bytes: Buffer) => void
  /** `isOrderly`: the gateway was stopped by a person. */
  onClose: (isOrderly: boolean) => void
}

/** Connects with the gateway of this user, which is started if needed. */
async function reachDesk(
  address: DeskAddress,
  request: DeskRequest,
  options: ShimOptions,
): Promise<DeskLink> {
  let problem = 'it ended at once'
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const socket = await dial(address.socket)
    const outcome = socket ? await greet(socket, request, options) : { kind: 'absent' as const }
    if (outcome.kind === 'open') return outcome.link
    socket?.destroy()
    if (outcome.kind === 'refused') throw new Error(outcome.why)
    if (outcome.kind === 'gone') continue
    if (outcome.kind === 'old') await retire(address.socket)
    const { startDesk } = await import('./start-desk.ts')
    problem = (await startDesk(options.entry, request.preset ?? 'default')) ?? problem
  }
  throw new Error(`the gateway of this user did not start: ${problem}`)
}

type Outcome =
  | { readonly kind: 'open'; readonly link: DeskLink }
  | { readonly kind: 'refused'; readonly why: string }
  /** It ended before it answered. */
  | { readonly kind: 'gone' }
  /** Its version is an older one than ours. */
  | { readonly kind: 'old' }

/** Says where this client is, and sends the variables that are asked for, then and later. */
function greet(socket: Socket, request: DeskRequest, { version }: ShimOptions): Promise<Outcome> {
  return new Promise((done) => {
    const link: DeskLink = { socket, onBytes: () => undefined, onClose: () => done({ kind: 'gone' }) }
    let isOpen = false
    let isOrderly = false
    const timer = setTimeout(
      () => done({ kind: 'refused', why: 'the gateway of this user does not answer' }),
      answerMs,
    )
    const receive = (reply: DeskReply) => {
      clearTimeout(timer)
      if (!isOpen && isOlder(reply.version, version)) done({ kind: 'old' })
      else if ('need' in reply)
        socket.write(controlLine({ values: valuesOf(reply.need) } satisfies DeskValues))
      else if ('refused' in reply) done({ kind: 'refused', why: reply.refused })
      else if ('stopped' in reply) isOrderly = true
      else {
        isOpen = true
        done({ kind: 'open', link })
      }
    }
    // Control lines come from a program of this user.
    socket.on(
      'data',
      splitControl(
        (bytes) => link.onBytes(bytes),
        (text) => receive(JSON.parse(text) as DeskReply),
      ),
    )
    let isClosed = false
    const close = () => {
      if (isClosed) return
      isClosed = true
      clearTimeout(timer)
      link.onClose(isOrderly)
    }
    // The end of what it sends comes first; a connection that broke has only the other.
    socket.on('end', close).on('close', close)
    const values = valuesOf(commonVariables)
    const hello: DeskOpening = {
      plugboard: 1,
      hello: request,
      version,
      pid: process.pid,
      values,
      asked: commonVariables,
    }
    socket.write(`${JSON.stringify(hello)}\n`)
  })
}

/**
 * Passes messages both ways until the client leaves. A gateway that was killed is replaced by another one with the next
 * request, which hears what the client said before; calls that may have run are answered with an error, never sent again.
 */
function serveClient(first: DeskLink, reach: () => Promise<DeskLink>): void {
  const { input, output } = openPipes()
  const session = new ClientSession()
  let link: DeskLink | undefined
  let reaching: Promise<void> | undefined
  let waiting: Buffer[] = []
  let hasLeft = false
  const end = (problem?: string) => {
    if (problem !== undefined) {
      process.exitCode = 1
      process.stderr.write(`${problem}\n`)
    }
    input.pause()
    // What is still to be written is written first.
    if (output.writableLength > 0) output.end(() => process.exit())
    else process.exit()
  }
  const leave = () => {
    hasLeft = true
    if (link) link.socket.end()
    else if (!reaching) end()
  }
  const write = (socket: Socket, line: string | Buffer) => {
    if (!socket.write(line)) input.pause()
  }
  output.on('drain', () => link?.socket.resume())
  const use = (opened: DeskLink) => {
    link = opened
    const { socket } = opened
    socket.on('drain', () => input.resume())
    const toClient = (line: Buffer) => {
      if (session.fromGateway(line) && !output.write(line)) socket.pause()
    }
    opened.onBytes = splitLines(toClient)
    opened.onClose = (isOrderly) => {
      link = undefined
      input.resume()
      if (hasLeft) return end()
      if (isOrderly) return end('The gateway ended. Start this client again.')
      for (const answer of session.lose()) output.write(answer)
      if (session.hasRepeatable) again()
    }
  }
  const again = () => {
    reaching ??= reach()
      .then((opened) => {
        use(opened)
        for (const line of session.resume()) write(opened.socket, line)
        for (const line of waiting) toGateway(line)
        for (const line of session.changes()) output.write(line)
        if (hasLeft) opened.socket.end()
      })
      .catch((error: unknown) => {
        const why = error instanceof Error ? error.message : String(error)
        for (const line of waiting) session.fromClient(line)
        for (const answer of session.giveUp(why)) output.write(answer)
        end(`The gateway ended, and another one cannot be reached: ${why}.`)
      })
      .finally(() => {
        reaching = undefined
        waiting = []
      })
  }
  const toGateway = (line: Buffer) => {
    if (!link) {
      waiting.push(line)
      return again()
    }
    if (session.fromClient(line)) write(link.socket, line)
  }
  use(first)
  input.on('end', leave).on('error', leave).on('data', splitLines(toGateway))
  output.on('error', leave)
}

/**
 * The pipes of the client. Opened directly: the streams of `process` take a millisecond more. The input is half of a stream
 * that stays open, because Node creates `process.stderr` when it destroys a socket, which takes another one.
 */
function openPipes() {
  return {
    input: isPipe(0)
      ? new Socket({ fd: 0, readable: true, writable: true, allowHalfOpen: true })
      : process.stdin,
    output: isPipe(1) ? new Socket({ fd: 1, readable: false, writable: true }) : process.stdout,
  }
}

function isPipe(fd: 0 | 1): boolean {
  if (process.platform === 'win32') return false
  const found = fstatSync(fd)
  return found.isFIFO() || found.isSocket()
}

function valuesOf(names: readonly string[]): Readonly<Record<string, string>> {
  const { env } = process
  const found: Record<string, string> = {}
  const take = (name: string) => {
    const value = env[name]
    if (value !== undefined) found[name] = value
  }
  for (const name of names) {
    if (!name.endsWith('*')) take(name)
    else for (const each of Object.keys(env)) if (each.startsWith(name.slice(0, -1))) take(each)
  }
  return found
}

/** Makes an older gateway give up its address; it goes on serving the clients that it has. */
async function retire(path: string): Promise<void> {
  const socket = await dial(path)
  if (!socket) return
  socket.write(`${JSON.stringify({ plugboard: 1, command: 'retire' } satisfies DeskOpening)}\n`)
  await new Promise((resolve) => socket.resume().on('close', resolve))
}

/** Compares versions by their numbers; a version before its release is the older one. */
export function isOlder(one: string, other: string): boolean {
  const [first, second] = [one, other].map((each) => {
    const [numbers = '', before] = each.split('-', 2)
    return [...numbers.split('.').map(Number), before === undefined ? 1 : 0]
  })
  const at = first?.findIndex((part, index) => part !== second?.[index]) ?? -1
  return at >= 0 && (first?.[at] ?? 0) < (second?.[at] ?? 0)
}

/** `undefined` if nothing listens there. */
function dial(path: string): Promise<Socket | undefined> {
  return new Promise((done) => {
    const socket = connect(path)
    socket.on('connect', () => done(socket))
    socket.on('error', () => done(undefined))
  })
}
