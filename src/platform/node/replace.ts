import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { codeOf } from './file-error.ts'

/** Temp files of this process that have not been renamed yet. */
const pendingTemps = new Set<string>()

/** Replaces a file atomically: a reader sees the old text or the new one, also after a crash of the machine. */
export async function replaceFile(
  path: string,
  text: string,
  { mode, isDurable }: { readonly mode: number; readonly isDurable: boolean },
  beforeRename: () => Promise<void>,
): Promise<void> {
  const directory = dirname(path)
  const temp = tempOf(path)
  await mkdir(directory, { recursive: true })
  await removeStaleTemps(path)
  pendingTemps.add(temp)
  try {
    await writeNew(temp, text, { mode, isDurable })
    await beforeRename()
    await rename(temp, path)
  } catch (error) {
    await unlink(temp).catch(() => undefined)
    throw error
  } finally {
    pendingTemps.delete(temp)
  }
  if (isDurable) await syncDirectory(directory)
}

/**
 * The same at once, for a small file that may be lost: a round trip through the thread pool costs several times as much as
 * the write.
 */
export function replaceNow(path: string, text: string, mode: number): void {
  const directory = dirname(path)
  if (!sweptFolders.has(directory)) {
    sweptFolders.add(directory)
    removeStaleTempsIn(directory)
  }
  const temp = tempOf(path)
  try {
    const file = openNew(temp, mode)
    try {
      writeFileSync(file, text)
    } finally {
      closeSync(file)
    }
    renameSync(temp, path)
  } catch (error) {
    rmSync(temp, { force: true })
    throw error
  }
}

/** Creates the folder only if it is missing. */
function openNew(path: string, mode: number): number {
  try {
    return openSync(path, 'wx', mode)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    mkdirSync(dirname(path), { recursive: true })
    return openSync(path, 'wx', mode)
  }
}

/** Folders in which files that killed writers left behind have been removed. */
const sweptFolders = new Set<string>()

function removeStaleTempsIn(directory: string): void {
  for (const name of existsSync(directory) ? readdirSync(directory) : []) {
    const writer = /^\..+\.(\d+)\.[0-9a-f]{12}\.tmp$/.exec(name)?.[1]
    const temp = join(directory, name)
    if (writer && !isInUse(Number(writer), temp)) rmSync(temp, { force: true })
  }
}

function tempOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.${randomBytes(6).toString('hex')}.tmp`)
}

/** `wx` follows no link and never opens a file that another user placed there (T47). */
async function writeNew(
  path: string,
  text: string,
  { mode, isDurable }: { readonly mode: number; readonly isDurable: boolean },
): Promise<void> {
  const handle = await open(path, 'wx', mode)
  try {
    await handle.writeFile(text)
    await handle.chmod(mode)
    if (isDurable) await handle.sync()
  } finally {
    await handle.close()
  }
}

async function syncDirectory(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r')
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch {
    // Windows cannot open a directory; there the rename is durable without it.
  }
}

/** Removes temp files of this path whose writers were killed. */
async function removeStaleTemps(path: string): Promise<void> {
  const directory = dirname(path)
  const start = `.${basename(path)}.`
  const names = await readdir(directory).catch(() => [])
  for (const name of names.filter((candidate) => candidate.startsWith(start))) {
    const writer = /^(\d+)\.[0-9a-f]{12}\.tmp$/.exec(name.slice(start.length))?.[1]
    const temp = join(directory, name)
    if (writer && !isInUse(Number(writer), temp)) await unlink(temp).catch(() => undefined)
  }
}

function isInUse(pid: number, temp: string): boolean {
  if (pid === process.pid) return pendingTemps.has(temp)
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}
