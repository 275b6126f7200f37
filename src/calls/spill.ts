import { join } from 'node:path'
import type { Clock, Files } from '../platform/platform.ts'

/** Keeps a text in a file of its own and says where; `undefined` when that cannot be done. */
export type Spill = (text: string) => Promise<string | undefined>

interface SpillOptions {
  /** Ours alone: what is old in it is removed. */
  readonly directory: string
  readonly files: Files
  readonly clock: Pick<Clock, 'now'>
}

/** Kept so long, in case a conversation comes back to it. */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000
const nameForm = /^[0-9a-f]{32}\.txt$/

/** Results that are too large for a model. Their names are random: no part of them is a server's word (T45). */
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
      // The caller says that it was not kept.
      return undefined
    } finally {
      await sweeping
    }
  }
}

/** Nobody waits for what it cannot remove. */
async function sweepSpilled({ directory, files, clock }: SpillOptions): Promise<void> {
  for (const name of await files.list(directory)) {
    if (!nameForm.test(name)) continue
    const path = join(directory, name)
    const stat = await files.stat(path)
    if (stat && clock.now() - stat.mtimeMs > maxAgeMs) await files.remove(path).catch(() => undefined)
  }
}
