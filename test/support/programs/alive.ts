import { readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** Whether a process runs. A zombie, which its parent has not reaped yet, does not. */
export function isRunning(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

export async function untilGone(...pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isRunning)).toEqual([])
}
