import { dirname, join } from 'node:path'
import type { Clock, Files } from '../../platform/platform.ts'

export interface LogFile {
  /** Never waits: what the disk cannot take is dropped and counted (FI-27, FI-73). */
  line(text: string): void
  /** Lines that were dropped so far. */
  readonly dropped: number
  /** Writes what is left. */
  close(): Promise<void>
}

/** A server's name is the owner's text: whatever it holds, its log stays in the folder of logs (T45). */
export function logPath(directory: string, id: string): string {
  const at = id.lastIndexOf('-')
  return join(
    directory,
    `${encodeURIComponent(Buffer.from(id.slice(0, at)).toString()).slice(0, 120)}${id.slice(at)}.log`,
  )
}

interface LogOptions {
  /** As `logPath` says. */
  readonly path: string
  readonly files: Files
  readonly clock: Pick<Clock, 'now' | 'timer'>
  /** Nothing reaches the disk without it. */
  readonly redact: (text: string) => string
  readonly hostPid: number
}

const maxBytes = 1024 * 1024
const maxWaitingChars = 256 * 1024
const batchMs = 100

interface Line {
  readonly at: number
  readonly text: string
}

/** What one server said, for `logs`: bounded, private, shared by all hosts that run it. */
export function createLogFile({ path, files, clock, redact, hostPid }: LogOptions): LogFile {
  let waiting: Line[] = []
  let waitingChars = 0
  let dropped = 0
  /** Not yet said in the file. */
  let untold = 0
  let timer: Disposable | undefined
  let writing: Promise<void> | undefined
  let hasDirectory = false

  const drop = (count: number) => {
    dropped += count
    untold += count
  }
  const write = async () => {
    const batch = waiting
    const told = untold
    waiting = []
    waitingChars = 0
    if (batch.length === 0 && told === 0) return
    untold = 0
    const notice = told > 0 ? [{ at: clock.now(), text: `[${told} lines were dropped]` }] : []
    try {
      if (!hasDirectory) await files.makePrivateDirectory(dirname(path))
      hasDirectory = true
      if (((await files.stat(path))?.size ?? 0) >= maxBytes) await files.move(path, older(path))
      await files.append(path, toText([...notice, ...redactAll(batch, redact)], hostPid))
    } catch {
      untold += told
      drop(batch.length)
    }
  }
  const flush = () => {
    timer = undefined
    writing ??= write().then(() => {
      writing = undefined
      if (waiting.length > 0) schedule()
    })
  }
  const schedule = () => (timer ??= clock.timer(batchMs, flush, { background: true }))
  return {
    line(text) {
      if (waitingChars + text.length > maxWaitingChars) return drop(1)
      waiting.push({ at: clock.now(), text })
      waitingChars += text.length
      if (!writing) schedule()
    },
    get dropped() {
      return dropped
    },
    async close() {
      await writing
      timer?.[Symbol.dispose]()
      flush()
      await writing
      timer?.[Symbol.dispose]()
    },
  }
}

/** Together, because a secret may go over several lines. */
function redactAll(batch: readonly Line[], redact: (text: string) => string): readonly Line[] {
  const texts = redact(batch.map(({ text }) => text).join('\n')).split('\n')
  const last = batch.at(-1)?.at ?? 0
  return texts.map((text, index) => ({
    at: (texts.length === batch.length && batch[index]?.at) || last,
    text,
  }))
}

function toText(lines: readonly Line[], hostPid: number): string {
  return lines.map(({ at, text }) => `${new Date(at).toISOString()} ${hostPid} ${visible(text)}\n`).join('')
}

/** Whoever prints the file must not be steered by it. */
function visible(text: string): string {
  return text.replace(/(?!\t)\p{Cc}/gu, (sign) => `\\x${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

function older(path: string): string {
  return `${path}.1`
}

export interface LogLine {
  /** ISO 8601 */
  readonly at: string
  /** Which host wrote it down. */
  readonly host: number
  readonly text: string
}

/** The last lines of a server's log, newest last. None where there is no log. */
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
  const before = lines.length < tail ? toLines(toUtf8(await bytesFrom(older(path), 0, files))) : []
  return [...before, ...lines].slice(-tail)
}

interface Follow {
  readonly files: Files
  readonly clock: Clock
  readonly signal: AbortSignal
  /** So many of the lines that are there already come first. */
  readonly tail?: number
}

/** Not every file system tells of changes. */
const lookAgainMs = 250

const newline = 10

/** Calls back for each line, until the signal aborts. */
export async function followLog(
  path: string,
  onLine: (line: LogLine) => void,
  { files, clock, signal, tail = 0 }: Follow,
): Promise<void> {
  const there = await bytesFrom(path, 0, files)
  let at = there.lastIndexOf(newline) + 1
  let cut = ''
  const read = async () => {
    const size = await sizeOf(path, files)
    // The file began anew; what came before is in the older one.
    if (size < at) {
      cut += toUtf8(await bytesFrom(older(path), at, files))
      at = 0
    }
    if (size > at) {
      const bytes = await bytesFrom(path, at, files)
      at += bytes.length
      cut += toUtf8(bytes)
    }
    const end = cut.lastIndexOf('\n') + 1
    for (const line of toLines(cut.slice(0, end))) onLine(line)
    cut = cut.slice(end)
  }
  for (const line of await lastLines(there.subarray(0, at), { path, files, tail })) onLine(line)
  while (!signal.aborted) {
    await changeOf(path, { files, clock, signal })
    await read()
  }
}

function changeOf(path: string, { files, clock, signal }: Omit<Follow, 'tail'>): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      watching[Symbol.dispose]()
      timer[Symbol.dispose]()
      signal.removeEventListener('abort', done)
      resolve()
    }
    const watching = files.watch(dirname(path), done)
    const timer = clock.timer(lookAgainMs, done)
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
    const [, at, host, said] = /^(\S+) (\d+) (.*)$/s.exec(line) ?? []
    return at === undefined || host === undefined ? [] : [{ at, host: Number(host), text: said ?? '' }]
  })
}
