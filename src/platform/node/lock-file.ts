import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from './file-error.ts'

export type Release = () => Promise<void>

/** Opens a file for one process only; the system closes it when the process ends. macOS: `O_EXLOCK`; Windows: no sharing (libuv). */
const exclusive = process.platform === 'win32' ? 0x1000_0000 : 0x20

/** Codes of a file that another process has open: macOS, then Windows. */
const heldCodes: readonly string[] = ['EAGAIN', 'EBUSY']

/** The lock of macOS and Windows: a file that the kernel opens exclusively. `undefined` if it was held until the deadline. */
export async function takeLockFile(path: string, deadline: number): Promise<Release | undefined> {
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NONBLOCK ?? 0) | exclusive
  while (performance.now() < deadline) {
    try {
      const handle = await open(path, flags, 0o600)
      return () => handle.close()
    } catch (error) {
      if (!heldCodes.includes(codeOf(error))) throw error
    }
    await sleep(5 + Math.random() * 20)
  }
  return undefined
}
