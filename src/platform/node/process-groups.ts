import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { codeOf } from './file-error.ts'
import { readGroup, readProcess } from './process-table.ts'

type Signal = 'SIGTERM' | 'SIGKILL'

const isWindows = process.platform === 'win32'
const isLinux = process.platform === 'linux'

/** Groups started by this process that may still have members. */
const liveGroups = new Set<number>()
let isWatching = false

/** Registers a group to be killed when this process exits, however it exits (T40). One listener serves all groups. */
export function adoptGroup(pid: number): void {
  liveGroups.add(pid)
  if (isWatching) return
  isWatching = true
  process.on('exit', () => {
    for (const group of liveGroups) killGroupSync(group)
  })
}

/** Removes a group that has ended: its id may be reused. */
export function forgetGroup(pid: number): void {
  liveGroups.delete(pid)
}

function killGroupSync(pid: number): void {
  if (isWindows) spawnSync(taskkill(), taskkillArgs(pid), { stdio: 'ignore', windowsHide: true })
  else signalGroup(pid, 'SIGKILL')
}

/** Returns `false` if the group is empty. */
export function signalGroup(pid: number, signal: Signal): boolean {
  if (!isGroupId(pid)) return false
  if (!isWindows) return send(-pid, signal)
  if (!send(pid, 0)) return false
  const killer = spawn(taskkill(), taskkillArgs(pid), { stdio: 'ignore', windowsHide: true })
  killer.on('error', () => undefined)
  killer.unref()
  return true
}

export function signalProcess(pid: number, signal: Signal): boolean {
  return isGroupId(pid) && send(pid, signal)
}

/**
 * Whether a group has running processes. Zombies do not count on Linux, where they can be told apart. Windows has
 * no groups: a tree is identified by its first process.
 */
export function isGroupAlive(pid: number): boolean {
  if (isWindows || !isGroupId(pid) || !send(-pid, 0)) return false
  return !isLinux || readGroup(pid).length > 0
}

/** Whether the id of a group whose leader has exited now belongs to another process. */
export function isPidReused(pid: number, startMark: string): boolean {
  if (!isLinux) return false
  const now = readProcess(pid)
  return now !== undefined && now.startMark !== startMark
}

/** 0 would signal our own group, and -1 every process. */
function isGroupId(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 1
}

function send(to: number, signal: Signal | 0): boolean {
  try {
    return process.kill(to, signal)
  } catch (error) {
    // EPERM means that the process exists; macOS also returns it for a group of zombies.
    return codeOf(error) === 'EPERM' && isLinux
  }
}

function taskkill(): string {
  return join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe')
}

function taskkillArgs(pid: number): readonly string[] {
  return ['/pid', String(pid), '/T', '/F']
}
