import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { codeOf } from './file-error.ts'
import { readGroup, readProcess } from './process-table.ts'

type Signal = 'SIGTERM' | 'SIGKILL'

const isWindows = process.platform === 'win32'
const isLinux = process.platform === 'linux'

/** Groups we started in which somebody may still be alive. */
const live = new Set<number>()
let isWatching = false

/** From now on the group ends with us, however we end (T40). One listener serves all of them. */
export function adoptGroup(pid: number): void {
  live.add(pid)
  if (isWatching) return
  isWatching = true
  process.on('exit', () => {
    for (const group of live) endAtOnce(group)
  })
}

/** Its number may soon be somebody else's. */
export function forgetGroup(pid: number): void {
  live.delete(pid)
}

function endAtOnce(pid: number): void {
  if (isWindows) spawnSync(taskkill(), taskkillArgs(pid), { stdio: 'ignore', windowsHide: true })
  else signalGroup(pid, 'SIGKILL')
}

/** `false` when nobody is left in it. */
export function signalGroup(pid: number, signal: Signal): boolean {
  if (!isGroupNumber(pid)) return false
  if (!isWindows) return send(-pid, signal)
  if (!send(pid, 0)) return false
  const ending = spawn(taskkill(), taskkillArgs(pid), { stdio: 'ignore', windowsHide: true })
  ending.on('error', () => undefined)
  ending.unref()
  return true
}

export function signalProcess(pid: number, signal: Signal): boolean {
  return isGroupNumber(pid) && send(pid, signal)
}

/**
 * Whether anybody runs in it. Those that only wait to be collected do not count where the system tells them apart. Windows
 * has no groups: there a tree is known by its first process alone.
 */
export function isGroupAlive(pid: number): boolean {
  if (isWindows || !isGroupNumber(pid) || !send(-pid, 0)) return false
  return !isLinux || readGroup(pid).length > 0
}

/** Whether the number of a group whose first process is gone has been given to somebody else since. */
export function isNumberTaken(pid: number, startMark: string): boolean {
  if (!isLinux) return false
  const now = readProcess(pid)
  return now !== undefined && now.startMark !== startMark
}

/** 0 would be our own group, -1 everybody. */
function isGroupNumber(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 1
}

function send(to: number, signal: Signal | 0): boolean {
  try {
    return process.kill(to, signal)
  } catch (error) {
    // Not allowed means that somebody is there; macOS says it of a group that only waits to be collected.
    return codeOf(error) === 'EPERM' && isLinux
  }
}

function taskkill(): string {
  return join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', 'taskkill.exe')
}

function taskkillArgs(pid: number): readonly string[] {
  return ['/pid', String(pid), '/T', '/F']
}
