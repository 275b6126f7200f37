import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { HostError } from '../../model/error.ts'
import { codeOf, toFileError } from './file-error.ts'
import { lockPlaces, openLockDirectory } from './lock-directory.ts'
import type { Release } from './lock-file.ts'

const defaultWaitMs = 10_000

export interface LockOptions {
  /** Directories for locks; the first that can be used is used. */
  readonly places?: readonly string[]
  /** How long others may hold the lock before waiting for it fails. */
  readonly waitMs?: number
}

/** Errors of a place where locks cannot be created: no access, read-only, or a file system without sockets. */
const unusableCodes: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOENT',
  'ENOTDIR',
  'ENOTSUP',
  'EOPNOTSUPP',
  'EINVAL',
  'ENOSYS',
])

/**
 * Runs work with one holder per real path among all processes of this user. The lock is in a directory that only this
 * user can enter (T56), it is released when its holder is killed, and no clock is involved (decision 023).
 */
export async function withLock<T>(
  path: string,
  work: () => Promise<T>,
  { places = lockPlaces(), waitMs = defaultWaitMs }: LockOptions = {},
): Promise<T> {
  const release = await acquire(path, places, waitMs)
  try {
    return await work()
  } finally {
    await release()
  }
}

async function acquire(path: string, places: readonly string[], waitMs: number): Promise<Release> {
  const name = await lockName(path)
  const deadline = performance.now() + waitMs
  let failure: unknown
  for (const place of places) {
    try {
      const release = await take(openLockDirectory(place), name, deadline)
      if (release) return release
      throw new HostError(
        'config.locked',
        { file: path },
        `Another process has locked ${path} for ${waitMs / 1000} s.`,
        {
          hint: 'Close the other program that edits this file, then try again.',
        },
      )
    } catch (error) {
      if (error instanceof HostError) throw error
      failure ??= toFileError(error, place)
      if (!unusableCodes.has(codeOf(error))) break
    }
  }
  const reason = failure instanceof Error ? ` (${failure.message})` : ''
  throw new HostError('config.unwritable', { file: path }, `${path} cannot be locked${reason}.`, {
    cause: failure,
    hint: 'Make sure that your home directory or /tmp can be written, then try again.',
  })
}

/** `undefined` if others held the lock until the deadline. */
async function take(directory: string, name: string, deadline: number): Promise<Release | undefined> {
  if (process.platform === 'darwin' || process.platform === 'win32') {
    const { takeLockFile } = await import('./lock-file.ts')
    return takeLockFile(join(directory, name), deadline)
  }
  const { takeTurn } = await import('./lock-queue.ts')
  return takeTurn(directory, name, deadline)
}

/** A link and its target have one name. Machines that share a home directory have different ones: they cannot see each other's locks. */
async function lockName(path: string): Promise<string> {
  const directory = await realpath(dirname(path)).catch(() => dirname(path))
  const real = await realpath(path).catch(() => join(directory, basename(path)))
  const machine = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => hostname())
  return createHash('sha256').update(`${machine}\0${real}`).digest('hex').slice(0, 24)
}
