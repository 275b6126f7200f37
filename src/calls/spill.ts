import { join } from 'node:path'
import type { Clock, Files } from '../platform/platform.ts'

/** Writes a text to a new file and returns its path, or `undefined` if writing failed. */
export type Spill = (text: string) => Promise<string | undefined>

interface SpillOptions {
  /** Used only for these files: old ones are removed. */
  readonly directory: string
  readonly files: Files
  readonly clock: Pick<Clock, 'now'>
}

/** Files are kept this long, because a conversation may return to them. */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000
const nameForm = /^[0-9a-f]{32}\.txt$/

/** Stores results that are too large for a model. File names are random and contain no text of a server (T45). */
export function createSpill({ directory, files, clock }: SpillOptions): Spill {
  let sweeping: Promise<void> | undefined
  return async (text) => {
    sweeping ??= sweepSpilled({ directory, files, clock }).catch(() => undefined)
    const { randomBytes } = process.getBuiltinModule('node:crypto')
    const path = join(directory, `${randomBytes(16).toString('hex')}.txt`)
    try {
      await files.makePrivateDirectory(directory)
      await files.writeBytes(path, Buffer.from(text), { mode: 0o600 })
      return path
    } catch {
      // The caller reports that the text was not kept.
      return undefined
    } finally {
      await sweeping
    }
  }
}

/** Removes old files; a file that cannot be removed is skipped. */
async function sweepSpilled({ directory, files, clock }: SpillOptions): Promise<void> {
  for (const name of await files.list(directory)) {
    if (!nameForm.test(name)) continue
    const path = join(directory, name)
    const stat = await files.stat(path)
    if (stat && clock.now() - stat.mtimeMs > maxAgeMs) await files.remove(path).catch(() => undefined)
  }
}
