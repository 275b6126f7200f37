import type { Clock, Files, Processes } from '../../platform/platform.ts'
import { createFamily, waitUntilGone } from './process-stop.ts'
import { isRunning, readHosts } from './started-groups.ts'
import type { HostRecord, StartedGroup } from './started-groups.ts'

interface SweepDependencies {
  readonly files: Files
  readonly processes: Processes
  readonly clock: Clock
}

const termGraceMs = 3000
const killGraceMs = 1000
/**
 * Files of another machine or container, or without a start mark, cannot be checked here; they are removed after this
 * time.
 */
const foreignFileMs = 7 * 24 * 60 * 60 * 1000

/**
 * Ends processes that killed hosts have left running (FI-24), and returns them. A process matches only if both its
 * pid and its start mark are the recorded ones: pids are reused.
 */
export async function sweepOrphans(
  directory: string,
  sweep: SweepDependencies,
): Promise<readonly StartedGroup[]> {
  const { machine } = await sweep.processes.self()
  const swept: StartedGroup[] = []
  for (const host of await readHosts(directory, sweep.files)) {
    if (host.machine !== machine || host.startMark === '') await removeForeign(host, sweep)
    else if (!(await isRunning(host, sweep.processes))) swept.push(...(await sweepHost(host, sweep)))
  }
  return swept
}

async function sweepHost(host: HostRecord, sweep: SweepDependencies): Promise<readonly StartedGroup[]> {
  const ended = await Promise.all(host.groups.map((group) => endOrphan(group, sweep)))
  // If a process survived, the file stays for the next sweep.
  if (!ended.includes('survived')) await sweep.files.remove(host.file).catch(() => undefined)
  return host.groups.filter((_, index) => ended[index] === 'ended')
}

async function endOrphan(
  group: StartedGroup,
  { processes, clock }: SweepDependencies,
): Promise<'ended' | 'survived' | 'absent'> {
  if (!(await isRunning(group, processes))) return 'absent'
  const family = createFamily(group.pid, processes)
  await family.recordDescendants()
  for (const [signal, ms] of [
    ['SIGTERM', termGraceMs],
    ['SIGKILL', killGraceMs],
  ] as const) {
    await processes.killGroup(group, signal)
    await family.signalStrays(signal)
    if ((await waitUntilGone(family, { clock, ms })).length === 0) return 'ended'
  }
  return 'survived'
}

async function removeForeign({ file }: HostRecord, { files, clock }: SweepDependencies): Promise<void> {
  const stat = await files.stat(file)
  if (stat && clock.now() - stat.mtimeMs > foreignFileMs) await files.remove(file).catch(() => undefined)
}
