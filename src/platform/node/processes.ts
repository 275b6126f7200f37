import { execFile } from 'node:child_process'
import { hostname } from 'node:os'
import type { Processes } from '../platform.ts'
import { isGroupAlive, signalGroup, signalProcess } from './process-groups.ts'
import { readAllTagged, readTaggedOrphans } from './process-tags.ts'
import { readDescendants, readNamespace, readProcess } from './process-table.ts'

const isLinux = process.platform === 'linux'

export const nodeProcesses: Processes = {
  self: () => (cachedSelf ??= readSelf()),
  async startMarkOf(pid) {
    return startMarkOf(pid)
  },
  async descendants(pid) {
    return isLinux ? readDescendants(pid) : []
  },
  async tagged(where) {
    if (!isLinux) return []
    return where === 'all' ? readAllTagged() : readTaggedOrphans()
  },
  async isGroupAlive(pid) {
    return isGroupAlive(pid)
  },
  async kill(target, signal) {
    return (await isSameProcess(target)) && signalProcess(target.pid, signal)
  },
  async killGroup(leader, signal) {
    const now = await startMarkOf(leader.pid)
    // The kernel does not reuse the id of a group that has members.
    if (leader.startMark === '' || (now !== undefined && now !== leader.startMark)) return false
    return signalGroup(leader.pid, signal)
  },
}

let cachedSelf: ReturnType<Processes['self']> | undefined

/** Does not change while this process runs, so it is read once. */
async function readSelf(): ReturnType<Processes['self']> {
  const machine = isLinux ? readNamespace() : hostname()
  return { pid: process.pid, startMark: (await startMarkOf(process.pid)) ?? '', machine }
}

/** Whether the process still runs. An unknown start time matches no process. */
async function isSameProcess({ pid, startMark }: { readonly pid: number; readonly startMark: string }) {
  // Synchronous on Linux, so that the pid cannot be reused between this check and the signal.
  const now = isLinux ? readProcess(pid)?.startMark : await startMarkOf(pid)
  return startMark !== '' && now === startMark
}

export function startMarkOf(pid: number): string | undefined | Promise<string | undefined> {
  if (isLinux) return readProcess(pid)?.startMark
  // On Windows only programs that start slower than a server provide it.
  return process.platform === 'darwin' ? askPs(pid) : undefined
}

function askPs(pid: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const options = { env: { LC_ALL: 'C', TZ: 'UTC' }, timeout: 5000 }
    execFile('/bin/ps', ['-o', 'lstart=', '-p', String(pid)], options, (error, stdout) => {
      resolve((!error && stdout.trim()) || undefined)
    })
  })
}
