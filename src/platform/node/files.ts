import { constants, watch as fsWatch } from 'node:fs'
import { chmod, mkdir, open, readdir, realpath, rename, stat as fsStat, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { FileError } from '../platform.ts'
import type { FileProblem, FileStat, FileText, Files } from '../platform.ts'

const defaultMaxBytes = 16 * 1024 * 1024

export const nodeFiles: Files = {
  readText,
  readBytes,
  stat,
  list,
  realPath,
  replace,
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
      const bytes = await handle.readFile()
      const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
      const text = decode(bytes)
      if (text === undefined) return problem('not-utf8', `${path} is not UTF-8 text`)
      return { kind: 'text', text, bom, stat: found }
    })
  } catch (error) {
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
      return await handle.readFile()
    })
  } catch (error) {
    throw toFileError(error, path)
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
  try {
    return await realpath(path)
  } catch {
    // A file that does not exist yet is named by its real directory.
    const parent = dirname(path)
    return parent === path ? path : join(await realPath(parent), basename(path))
  }
}

async function replace(path: string, text: string, options: { readonly mode?: number } = {}): Promise<void> {
  const directory = dirname(path)
  const temp = join(directory, `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    await mkdir(directory, { recursive: true })
    const mode = options.mode ?? (await stat(path))?.mode ?? 0o644
    const handle = await open(temp, 'wx', mode)
    try {
      await handle.writeFile(text)
      await handle.chmod(mode)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temp, path)
    await syncDirectory(directory)
  } catch (error) {
    await unlink(temp).catch(() => undefined)
    throw toFileError(error, path)
  }
}

async function syncDirectory(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r')
    await handle.sync().finally(() => handle.close())
  } catch {
    // Windows cannot open a directory; the rename is durable there without it.
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

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

function problemOf(code: string): FileProblem {
  if (code === 'EACCES' || code === 'EPERM') return 'no-permission'
  if (code === 'EISDIR' || code === 'ENXIO' || code === 'ELOOP') return 'not-a-file'
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'no-space'
  if (code === 'EROFS') return 'read-only'
  return 'io'
}

function toFileError(error: unknown, path: string): FileError {
  if (error instanceof FileError) return error
  const code = codeOf(error)
  const reason = {
    'no-permission': 'permission denied',
    'no-space': 'no space left on the device',
    'read-only': 'the file system is read-only',
    'not-a-file': 'it is not a regular file',
    'too-large': 'it is too large',
    'not-utf8': 'it is not UTF-8 text',
    io: code,
  }[problemOf(code)]
  return new FileError(problemOf(code), `${path}: ${reason}`, { cause: error })
}
