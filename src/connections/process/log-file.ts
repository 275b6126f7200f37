import { dirname, join } from 'node:path'
import type { Clock, Files } from '../../platform/platform.ts'

export interface LogFile {
  /** Never blocks: lines that the disk cannot take are dropped and counted (FI-27, FI-73). */
  line(text: string): void
  /** Number of dropped lines. */
  readonly dropped: number
  /** Writes the remaining lines. */
  close(): Promise<void>
}

/** The server's name comes from the configuration: it is encoded, so that the log stays in its folder (T45). */
export function logPath(directory: string, id: string): string {
  const at = id.lastIndexOf('-')
  return join(
    directory,
    `${encodeURIComponent(Buffer.from(id.slice(0, at)).toString()).slice(0, 120)}${id.slice(at)}.log`,
  )
}

interface LogOptions {
  /** From `logPath`. */
  readonly path: string
  readonly files: Files
  readonly clock: Pick<Clock, 'now' | 'timer'>
  /** Applied to everything that is written. */
  readonly redact: (text: string) => string
  readonly hostPid: number
}

const maxBytes = 1024 * 1024
const maxPendingChars = 256 * 1024
const batchMs = 100

interface PendingLine {
  readonly at: number
  readonly text: string
}

/** The log of one server, for `logs`: bounded, private, shared by all hosts that run the server. */
export function createLogFile({ path, files, clock, redact, hostPid }: LogOptions): LogFile {
  let pending: PendingLine[] = []
  let pendingChars = 0
  let dropped = 0
  /** Dropped lines that the file does not mention yet. */
  let unreported = 0
  let timer: Disposable | undefined
  let writing: Promise<void> | undefined
  let hasDirectory = false

  const drop = (count: number) => {
    dropped += count
    unreported += count
  }
  const write = async () => {
    const batch = pending
    const reported = unreported
    pending = []
    pendingChars = 0
    if (batch.length === 0 && reported === 0) return
    unreported = 0
    const notice = reported > 0 ? [{ at: clock.now(), text: `[${reported} lines were dropped]` }] : []
    try {
      if (!hasDirectory) await files.makePrivateDirectory(dirname(path))
      hasDirectory = true
      if (((await files.stat(path))?.size ?? 0) >= maxBytes) await files.move(path, rotatedPath(path))
      await files.append(path, toText([...notice, ...redactAll(batch, redact)], hostPid))
    } catch {
      unreported += reported
      drop(batch.length)
    }
  }
  const flush = () => {
    timer = undefined
    writing ??= write().then(() => {
      writing = undefined
      if (pending.length > 0) schedule()
    })
  }
  const schedule = () => (timer ??= clock.timer(batchMs, flush, { background: true }))
  return {
    line(text) {
      if (pendingChars + text.length > maxPendingChars) return drop(1)
      pending.push({ at: clock.now(), text })
      pendingChars += text.length
      if (!writing) schedule()
    },
    get dropped() {
      return dropped
    },
    async close() {
      do {
        await writing
        timer?.[Symbol.dispose]()
        flush()
        await writing
        // A process that ends while the last lines are written adds the line about its end.
      } while (pending.length > 0)
      timer?.[Symbol.dispose]()
    },
  }
}

/** All lines together, because a secret may span several lines. */
function redactAll(batch: readonly PendingLine[], redact: (text: string) => string): readonly PendingLine[] {
  const texts = redact(batch.map(({ text }) => text).join('\n')).split('\n')
  const last = batch.at(-1)?.at ?? 0
  return texts.map((text, index) => ({
    at: (texts.length === batch.length && batch[index]?.at) || last,
    text,
  }))
}

function toText(lines: readonly PendingLine[], hostPid: number): string {
  return lines
    .map(({ at, text }) => `${new Date(at).toISOString()} ${hostPid} ${escapeControls(text)}\n`)
    .join('')
}

/** Escapes control characters, so that printing the file cannot control a terminal. */
function escapeControls(text: string): string {
  return text.replace(/(?!\t)\p{Cc}/gu, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

function rotatedPath(path: string): string {
  return `${path}.1`
}

export interface LogLine {
  /** ISO 8601 */
  readonly at: string
  /** The pid of the host that wrote it. */
  readonly host: number
  readonly text: string
}

/** The last lines of a server's log, newest last. Empty if there is no log. */
export async function readLog(
  path: string,
  { files, tail }: { readonly files: Files; readonly tail: number },
): Promise<readonly LogLine[]> {
  return lastLines(await bytesFrom(path, 0, files), { path, files, tail })
}

async function lastLines(
  newest: Uint8Array,
  { path, files, tail }: { readonly path: string; readonly files: Files; readonly tail: number },
): Promise<readonly LogLine[]> {
  if (tail <= 0) return []
  const lines = toLines(toUtf8(newest))
  const before = lines.length < tail ? toLines(toUtf8(await bytesFrom(rotatedPath(path), 0, files))) : []
  return [...before, ...lines].slice(-tail)
}

interface FollowOptions {
  readonly files: Files
  readonly clock: Clock
  readonly signal: AbortSignal
  /** How many existing lines come first. */
  readonly tail?: number
}

/** Poll as well: not every file system reports changes. */
const pollMs = 250

const newline = 10

/** Calls `onLine` for each new line until the signal aborts. */
export async function followLog(
  path: string,
  onLine: (line: LogLine) => void,
  { files, clock, signal, tail = 0 }: FollowOptions,
): Promise<void> {
  const existing = await bytesFrom(path, 0, files)
  let at = existing.lastIndexOf(newline) + 1
  let partial = ''
  const read = async () => {
    const size = await sizeOf(path, files)
    // The file was rotated; the earlier lines are in the older file.
    if (size < at) {
      partial += toUtf8(await bytesFrom(rotatedPath(path), at, files))
      at = 0
    }
    if (size > at) {
      const bytes = await bytesFrom(path, at, files)
      at += bytes.length
      partial += toUtf8(bytes)
    }
    const end = partial.lastIndexOf('\n') + 1
    for (const line of toLines(partial.slice(0, end))) onLine(line)
    partial = partial.slice(end)
  }
  for (const line of await lastLines(existing.subarray(0, at), { path, files, tail })) onLine(line)
  while (!signal.aborted) {
    await waitForChange(path, { files, clock, signal })
    await read()
  }
}

function waitForChange(path: string, { files, clock, signal }: Omit<FollowOptions, 'tail'>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      watcher[Symbol.dispose]()
      timer[Symbol.dispose]()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const watcher = files.watch(dirname(path), done)
    const timer = clock.timer(pollMs, done)
    signal.addEventListener('abort', done, { once: true })
  })
}

async function sizeOf(path: string, files: Files): Promise<number> {
  return (await files.stat(path))?.size ?? 0
}

async function bytesFrom(path: string, from: number, files: Files): Promise<Uint8Array> {
  return files.readBytes(path, { from, maxBytes: 2 * maxBytes }).catch(() => new Uint8Array())
}

function toUtf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}

function toLines(text: string): readonly LogLine[] {
  return text.split('\n').flatMap((line) => {
    const [, at, host, text] = /^(\S+) (\d+) (.*)$/s.exec(line) ?? []
    return at === undefined || host === undefined ? [] : [{ at, host: Number(host), text: text ?? '' }]
  })
}
