import { join } from 'node:path'
import type { Files } from '../platform/platform.ts'
import { isInside } from '../sources/path-containment.ts'
import { lockLimits } from './lock-format.ts'
import { lockFileName } from '../model/locked-server.ts'
import type { LockFile } from '../model/locked-server.ts'
import { parseLockFile } from './parse-lock-file.ts'
import type { LockProblem } from '../model/locked-server.ts'

/** The lock file of a project's folder. */
export type LockReading =
  | { readonly kind: 'absent'; readonly file: string; readonly text: '' }
  | { readonly kind: 'lock'; readonly file: string; readonly text: string; readonly lock: LockFile }
  | ({ readonly kind: 'broken'; readonly file: string; readonly text: string } & LockProblem)

export async function readLockFile(
  folder: string,
  files: Pick<Files, 'readText' | 'realPath'>,
): Promise<LockReading> {
  const file = join(folder, lockFileName)
  const found = await files.readText(file, { maxBytes: lockLimits.bytes })
  if (found.kind === 'absent') return { kind: 'absent', file, text: '' }
  const text = found.kind === 'text' ? found.text : ''
  const start = { kind: 'broken', file, text, line: 1, column: 1 } as const
  if (!(await isInside(file, [folder], files)))
    return {
      ...start,
      problem: 'It is a link that leads out of the project.',
      hint: 'Remove the link, and run: plugboard lock',
    }
  if (found.kind === 'problem')
    return {
      ...start,
      problem: `It cannot be read: ${found.message}.`,
      hint: 'Remove it, and run: plugboard lock',
    }
  const parsed = await parseLockFile(found.text)
  return 'servers' in parsed
    ? { kind: 'lock', file, text: found.text, lock: parsed }
    : { kind: 'broken', file, text, ...parsed }
}
