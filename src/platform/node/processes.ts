import { execFile } from 'node:child_process'
import { hostname } from 'node:os'
import type { Processes } from '../platform.ts'
import { isGroupAlive, signalGroup, signalProcess } from './process-groups.ts'
import { readDescendants, readNamespace, readProcess } from './process-table.ts'

const isLinux = process.platform === 'linux'

export const nodeProcesses: Processes = {
  self: () => (own ??= readSelf()),
  async startMarkOf(pid) {
    return startMarkOf(pid)
  },
  async descendants(pid) {
    return isLinux ? readDescendants(pid) : []
  },
  async isGroupAlive(pid) {
    return isGroupAlive(pid)
  },
  async kill(target, signal) {
    return (await isStill(target)) && signalProcess(target.pid, signal)
  },
  async killGroup(leader, signal) {
    const now = await startMarkOf(leader.pid)
    // While anybody is in the group, its number is given to nobody else.
    if (leader.startMark === '' || (now !== undefined && now !== leader.startMark)) return false
    return signalGroup(leader.pid, signal)
  },
}

let own: ReturnType<Processes['self']> | undefined

/** It stays as it is for as long as we run. */
async function readSelf(): ReturnType<Processes['self']> {
  const machine = isLinux ? readNamespace() : hostname()
  return { pid: process.pid, startMark: (await startMarkOf(process.pid)) ?? '', machine }
}

/** A mark that is not known matches nobody. */
async function isStill({ pid, startMark }: { readonly pid: number; readonly startMark: string }) {
  // On Linux without a turn in between: nobody can take the number before the signal is sent.
  const now = isLinux ? readProcess(pid)?.startMark : await startMarkOf(pid)
  return startMark !== '' && now === startMark
}

export function startMarkOf(pid: number): string | undefined | Promise<string | undefined> {
  if (isLinux) return readProcess(pid)?.startMark
  // Windows tells it only through programs that take longer to start than a server.
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
