import { dirname } from 'node:path'
import { readInstalledProgram } from '../lock-file/installed-program.ts'
import type { InstalledProgram } from '../lock-file/installed-program.ts'
import type { LockedProgram } from '../lock-file/lock-differences.ts'
import { readLockFile } from '../lock-file/read-lock-file.ts'
import type { LockReading } from '../lock-file/read-lock-file.ts'
import { HostError } from '../model/error.ts'
import type { Server } from '../model/server.ts'
import type { Platform } from '../platform/platform.ts'
import { isInside } from '../sources/path-containment.ts'
import { platformOf } from './discover-options.ts'
import type { DiscoverOptions } from './discover-options.ts'
import { editFile } from './edit/edit-file.ts'
import { portableHash } from './trust/portable-hash.ts'
import { createWorld } from './world.ts'

/** What a server runs now, in the form of a lock file, and where that was found. */
export interface ProgramNow {
  readonly locked: LockedProgram
  readonly installed: InstalledProgram
}

export async function readServerProgram(server: Server, options: DiscoverOptions): Promise<ProgramNow> {
  return readProgram(server, await platformOf(options), options)
}

/** Reads files only; nothing is started, fetched or resolved. */
export async function readProgram(
  server: Server,
  platform: Platform,
  options: DiscoverOptions,
): Promise<ProgramNow> {
  const { home, dirs } = await createWorld(platform, options)
  const installed = await readInstalledProgram(server, { platform, dirs })
  const { command, package: owner, version, scripts, resolved } = installed
  return {
    installed,
    locked: {
      declaration: await portableHash(server, { files: platform.files, home, dirs }),
      ...(command !== undefined && { command }),
      ...(owner && { package: owner.name }),
      ...(version !== undefined && { version }),
      scripts,
      ...(resolved && { resolved }),
    },
  }
}

export async function readLock(folder: string, options: DiscoverOptions = {}): Promise<LockReading> {
  return readLockFile(folder, (await platformOf(options)).files)
}

interface LockText {
  readonly file: string
  /** The text that the new one was made from; empty if there was no file. */
  readonly before: string
  readonly after: string
}

/** Writes a lock file, unless it was changed since it was read. A link out of the project is not followed. */
export async function writeLock(
  { file, before, after }: LockText,
  options: DiscoverOptions = {},
): Promise<void> {
  const platform = await platformOf(options)
  if (!(await isInside(file, [dirname(file)], platform.files)))
    throw new HostError('config.unwritable', { file }, `${file} is a link that leads out of the project.`, {
      hint: 'Remove the link, and try again.',
    })
  await editFile({
    platform,
    path: file,
    mode: (mode) => mode ?? 0o644,
    edit(text) {
      if (text === before) return after
      throw new HostError('config.conflict', { file }, `${file} has changed since it was read.`, {
        hint: 'Nothing was written. Try again.',
      })
    },
  })
}
