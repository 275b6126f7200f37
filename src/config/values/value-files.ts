import { join, resolve } from 'node:path'
import { entryFolder } from '../../model/server.ts'
import type { Server } from '../../model/server.ts'
import type { Files } from '../../platform/platform.ts'

interface ReadValue {
  readonly files: Pick<Files, 'readText' | 'stat'>
  readonly home: string
  readonly maxBytes: number
}

/** The text of a file that a placeholder names. Only a regular file is opened: a pipe would wait for its other end. */
export async function fileValue(
  server: Server,
  path: string,
  { files, home, maxBytes }: ReadValue,
): Promise<string | undefined> {
  const file = pathFrom(server, path, home)
  if ((await files.stat(file))?.kind !== 'file') return undefined
  const found = await files.readText(file, { maxBytes })
  return found.kind === 'text' ? found.text.replace(/\r?\n$/, '') : undefined
}

/** Resolves a path against the folder of the file that contains it. */
export function pathFrom(server: Server, path: string, home: string): string {
  if (path === '~' || path.startsWith('~/')) return join(home, path.slice(1))
  return resolve(entryFolder(server), path)
}
