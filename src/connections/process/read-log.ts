import { dirname } from 'node:path'
import type { Clock, Files } from '../../platform/platform.ts'
import { maxLogBytes, older } from './log-file.ts'

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
  return files.readBytes(path, { from, maxBytes: maxLogBytes }).catch(() => new Uint8Array())
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
