import type { Clock, Processes } from '../platform/platform.ts'

/** The asker of a question whose process has closed its desk. */
export const leftAsker = 'left'
/** The asker of a question whose answer has been used. */
export const takenAsker = 'taken'

/** After this time a process on another machine, or one that cannot be recognized, is taken for gone. */
const unseenMs = 24 * 3_600_000

/** Names this process, so that others can see whether it still waits for an answer. */
export async function describeAsker(processes: Pick<Processes, 'self'>): Promise<string> {
  const { pid, startMark, machine } = await processes.self()
  return JSON.stringify({ pid, startMark, machine })
}

export interface AskerDependencies {
  readonly processes: Pick<Processes, 'self' | 'startMarkOf'>
  readonly clock: Pick<Clock, 'now'>
}

/** Whether the process that asked is gone, also if it was killed. */
export async function isAskerGone(
  { asker, asked_at }: { readonly asker: string; readonly asked_at: string },
  { processes, clock }: AskerDependencies,
): Promise<boolean> {
  if (asker === leftAsker || asker === takenAsker) return true
  const { pid, startMark, machine } = parse(asker)
  const self = await processes.self()
  const isKnown = typeof pid === 'number' && typeof startMark === 'string' && startMark !== ''
  if (!isKnown || machine !== self.machine) return clock.now() - Date.parse(asked_at) > unseenMs
  return (await processes.startMarkOf(pid)) !== startMark
}

function parse(asker: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(asker)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
