import { constants, watch as fsWatch } from 'node:fs'
import { chmod, mkdir, open, readdir, readlink, realpath, stat as fsStat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { FileError } from '../platform.ts'
import type { FileProblem, FileStat, FileText, Files, ReplaceOptions } from '../platform.ts'
import { codeOf, problemOf, toFileError } from './file-error.ts'
import { replaceFile } from './replace.ts'

const defaultMaxBytes = 16 * 1024 * 1024
/** As many as Linux follows before it speaks of a loop. */
const maxLinks = 40

export const nodeFiles: Files = {
  readText,
  readBytes,
  stat,
  list,
  realPath,
  replace,
  writeBytes,
  makePrivateDirectory,
  watch,
}

async function readText(path: string, options: { readonly maxBytes?: number } = {}): Promise<FileText> {
  try {
    return await withFile(path, async (handle) => {
      const found = toStat(await handle.stat())
      const maxBytes = options.maxBytes ?? defaultMaxBytes
      if (found.kind !== 'file') return problem('not-a-file', `${path} is not a regular file`)
      if (found.size > maxBytes) {
        return problem('too-large', `${path} is ${found.size} bytes, more than the ${maxBytes} that are read`)
      }
      const bytes = await readUpTo(handle, path, found.size, maxBytes)
      const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
      const text = decode(bytes)
      if (text === undefined) return problem('not-utf8', `${path} is not UTF-8 text`)
      return { kind: 'text', text, bom, stat: found }
    })
  } catch (error) {
    if (error instanceof FileError) return problem(error.problem, error.message)
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'absent' }
    return problem(problemOf(code), `${path} cannot be read: ${code}`)
  }
}

function problem(kind: FileProblem, message: string): FileText {
  return { kind: 'problem', problem: kind, message }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

async function readBytes(path: string, options: { readonly maxBytes: number }): Promise<Uint8Array> {
  try {
    return await withFile(path, async (handle) => {
      const found = toStat(await handle.stat())
      if (found.kind !== 'file') throw new FileError('not-a-file', `${path} is not a regular file`)
      if (found.size > options.maxBytes) throw new FileError('too-large', `${path} is ${found.size} bytes`)
      return await readUpTo(handle, path, found.size, options.maxBytes)
    })
  } catch (error) {
    throw toFileError(error, path)
  }
}

/** A file may grow while it is read, and those of `/proc` give no size at all: what counts is what arrives. */
async function readUpTo(
  handle: FileHandle,
  path: string,
  size: number,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let total = 0
  for (;;) {
    const room = new Uint8Array(Math.max(size + 1 - total, 4096))
    const { bytesRead } = await handle.read(room)
    if (bytesRead === 0) return Buffer.concat(chunks, total)
    total += bytesRead
    if (total > maxBytes) throw new FileError('too-large', `${path} is more than ${maxBytes} bytes`)
    chunks.push(room.subarray(0, bytesRead))
  }
}

/** Non-blocking, so that a FIFO in a config's place answers instead of hanging. */
async function withFile<T>(path: string, use: (handle: FileHandle) => Promise<T>): Promise<T> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    return await use(handle)
  } finally {
    await handle.close()
  }
}

async function stat(path: string): Promise<FileStat | undefined> {
  try {
    return toStat(await fsStat(path))
  } catch {
    return undefined
  }
}

function toStat(found: Awaited<ReturnType<typeof fsStat>>): FileStat {
  const kind = found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other'
  return {
    kind,
    mode: Number(found.mode) & 0o7777,
    uid: Number(found.uid),
    size: Number(found.size),
    mtimeMs: Number(found.mtimeMs),
  }
}

async function list(path: string): Promise<readonly string[]> {
  try {
    return (await readdir(path)).sort()
  } catch {
    return []
  }
}

async function realPath(path: string): Promise<string> {
  return followLinks(path, 0)
}

/** A link to a file that does not exist yet names that file; a file in a real directory is named by it. */
async function followLinks(path: string, followed: number): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    if (parent === path || followed > maxLinks) return path
    const target = await readlink(path).catch(() => undefined)
    if (target !== undefined) return followLinks(resolve(parent, target), followed + 1)
    return join(await followLinks(parent, followed), basename(path))
  }
}

async function replace(path: string, text: string, options: ReplaceOptions = {}): Promise<void> {
  const { over } = options
  const mode = options.mode ?? (await stat(path))?.mode ?? 0o644
  try {
    await replaceFile(path, text, mode, async () => {
      if (over && !isSame(over, await readText(path))) throw new FileError('changed', `${path} has changed`)
    })
  } catch (error) {
    throw toFileError(error, path)
  }
}

function isSame(before: FileText, now: FileText): boolean {
  if (before.kind !== 'text' || now.kind !== 'text') return before.kind === now.kind
  return before.text === now.text && before.bom === now.bom
}

async function writeBytes(
  path: string,
  bytes: Uint8Array,
  options: { readonly mode: number },
): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const handle = await open(path, 'wx', options.mode)
    try {
      await handle.writeFile(bytes)
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw toFileError(error, path)
  }
}

async function makePrivateDirectory(path: string): Promise<void> {
  try {
    const made = await mkdir(path, { recursive: true, mode: 0o700 })
    if (made !== undefined) await chmod(path, 0o700)
  } catch (error) {
    throw toFileError(error, path)
  }
}

function watch(directory: string, onChange: () => void): Disposable {
  try {
    const watcher = fsWatch(directory, { persistent: false }, onChange)
    watcher.on('error', onChange)
    return { [Symbol.dispose]: () => watcher.close() }
  } catch {
    // A directory that is not there yet: the watcher above it polls.
    return { [Symbol.dispose]: () => undefined }
  }
}
