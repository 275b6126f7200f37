import { chmodSync, existsSync, lstatSync, mkdirSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { HostError } from '../../model/error.ts'
import { codeOf } from './file-error.ts'

/**
 * The places for lock directories, in order of preference. They depend on the account only: processes with different
 * environments must find the same lock. The second is for accounts without a home directory of their own.
 */
export function lockPlaces(): readonly string[] {
  const home = accountHome()
  if (process.platform === 'win32')
    return home === undefined ? [] : [join(home, 'AppData/Local/plugboard/locks')]
  const own = home === undefined ? [] : [join(home, '.local/state/plugboard/locks')]
  return [...own, `/tmp/plugboard-locks-${userId()}`]
}

/** The home directory in the system's list of users, whatever `HOME` says; `undefined` if there is none. */
function accountHome(): string | undefined {
  try {
    const { homedir } = userInfo()
    return statSync(homedir).isDirectory() ? homedir : undefined
  } catch {
    return undefined
  }
}

/**
 * Creates the directory if needed, and makes sure that no other user can enter it or owns it (T56). Throws the error of
 * the system if it cannot be created, and a `HostError` if something else is in its place.
 */
export function openLockDirectory(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false }) ?? createDirectory(path)
  if (!found.isDirectory()) throw refuse(path, 'it is not a directory')
  if (process.platform === 'win32') return path
  if (found.uid !== userId()) throw refuse(path, 'it belongs to another user')
  if ((found.mode & 0o077) !== 0) chmodSync(path, 0o700)
  return path
}

function createDirectory(path: string): Stats {
  makeWithParents(path)
  return lstatSync(path)
}

/** Like the `recursive` option of Node, which never returns where a file system answers ENOENT, as `/proc` does. */
function makeWithParents(path: string): void {
  if (existsSync(path)) return
  if (dirname(path) !== path) makeWithParents(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it meanwhile.
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

/** The user that owns the files which this process creates. */
export function userId(): number | undefined {
  return process.geteuid?.()
}

function refuse(path: string, reason: string): HostError {
  return new HostError('config.unwritable', { file: path }, `Locks cannot be kept in ${path}: ${reason}.`, {
    hint: `Remove ${path}, then try again.`,
  })
}
