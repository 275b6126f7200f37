import type { Clock, Files, ProcessMark, Processes } from '../../platform/platform.ts'
import { createFamily, waitUntilGone } from './process-stop.ts'
import { isRunning, readHosts, withTag } from './started-groups.ts'
import type { HostRecord, StartedGroup } from './started-groups.ts'

interface SweepDependencies {
  readonly files: Files
  readonly processes: Processes
  readonly clock: Clock
}

const termGraceMs = 3000
const killGraceMs = 1000
/** Processes that start each other again may need more than one look. */
const mostLooks = 4
/**
 * Files of another machine or container, or without a start mark, cannot be checked here; they are removed after this
 * time.
 */
const foreignFileMs = 7 * 24 * 60 * 60 * 1000

/**
 * Ends processes that killed hosts have left running (FI-24), and returns them. A process matches only if both its
 * pid and its start mark are the recorded ones (pids are reused), or if it carries the tag of a recorded start.
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
  const groups = [...host.groups, ...host.stopped]
  const swept = new Set<StartedGroup>()
  for (let looks = 0; looks < mostLooks; looks++) {
    const tagged = await sweep.processes.tagged('all')
    const ends = await Promise.all(
      groups.map((group) => {
        const known = host.left.filter(({ id, isCertain }) => isCertain && id === group.id)
        const strays = [...known, ...withTag(tagged, group.tag)]
        return endOrphan(group, { strays, isStopped: host.stopped.includes(group) }, sweep)
      }),
    )
    for (const [index, end] of ends.entries()) if (end === 'ended' && groups[index]) swept.add(groups[index])
    // If a process survived, the file stays for the next sweep.
    if (ends.includes('survived')) return [...swept]
    if (!ends.includes('ended')) break
  }
  const suspects = host.left.filter(({ isCertain }) => !isCertain)
  const named = await Promise.all(suspects.map((each) => isRunning(each, sweep.processes)))
  // `status` names suspects as long as they run.
  if (!named.includes(true)) await sweep.files.remove(host.file).catch(() => undefined)
  return [...swept]
}

async function endOrphan(
  group: StartedGroup,
  { strays, isStopped }: { readonly strays: readonly ProcessMark[]; readonly isStopped: boolean },
  { processes, clock }: SweepDependencies,
): Promise<'ended' | 'survived' | 'absent'> {
  const isLed = !isStopped && (await isRunning(group, processes))
  const family = createFamily(group, processes, { strays, hasGroup: isLed })
  if (!isLed && (await family.left()).length === 0) return 'absent'
  await family.recordDescendants()
  for (const [signal, ms] of [
    ['SIGTERM', termGraceMs],
    ['SIGKILL', killGraceMs],
  ] as const) {
    if (isLed) await processes.killGroup(group, signal)
    await family.signalStrays(signal)
    if ((await waitUntilGone(family, { clock, ms })).length === 0) return 'ended'
  }
  return 'survived'
}

async function removeForeign({ file }: HostRecord, { files, clock }: SweepDependencies): Promise<void> {
  const stat = await files.stat(file)
  if (stat && clock.now() - stat.mtimeMs > foreignFileMs) await files.remove(file).catch(() => undefined)
}
