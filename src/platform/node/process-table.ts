import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import type { Descendant } from '../platform.ts'

interface ProcessRow extends Descendant {
  readonly parent: number
  /** The process id of the leader of its session. */
  readonly session: number
}

/** Reads a process from /proc; `undefined` if it has exited. A zombie counts as exited. */
export function readProcess(pid: number): ProcessRow | undefined {
  const stat = readProc(`${pid}/stat`)
  if (stat === undefined) return undefined
  // The process name before the last bracket may itself contain spaces and brackets.
  const [state, parent, group, session, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 20)
  if (state === 'Z' || state === 'X') return undefined
  const startMark = `${rest[15]}@${bootId()}`
  return { pid, parent: Number(parent), group: Number(group), session: Number(session), startMark }
}

/** All descendants of a process, nearest first. */
export function readDescendants(pid: number): readonly Descendant[] {
  const descendants: Descendant[] = []
  const hasChildLists = listedChildren(process.pid) !== undefined
  const childrenOf = hasChildLists ? (parent: number) => listedChildren(parent) ?? [] : scannedChildren()
  const queue = [...childrenOf(pid)]
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const row = readProcess(next)
    if (!row) continue
    descendants.push({ pid: row.pid, group: row.group, startMark: row.startMark })
    queue.push(...childrenOf(next))
  }
  return descendants
}

/** The kernel lists a child under the thread that started it. Undefined if it has no such lists or hides the process. */
export function listedChildren(pid: number): readonly number[] | undefined {
  const lists = entriesOf(`${pid}/task`).map((thread) => readProc(`${pid}/task/${thread}/children`))
  if (lists.every((list) => list === undefined)) return undefined
  return lists.flatMap((list = '') => list.split(' ').filter(Boolean).map(Number))
}

/** For a kernel without these lists: scans all processes once. */
function scannedChildren(): (pid: number) => readonly number[] {
  const all = allProcesses()
  return (pid) => all.filter(({ parent }) => parent === pid).map((row) => row.pid)
}

/** The members of a group. Scans all processes, so try a cheaper check first. */
export function readGroup(group: number): readonly number[] {
  return allProcesses()
    .filter((row) => row.group === group)
    .map(({ pid }) => pid)
}

function allProcesses(): readonly ProcessRow[] {
  return runningPids().flatMap((pid) => readProcess(pid) ?? [])
}

export function runningPids(): readonly number[] {
  return entriesOf('')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

let cachedBootId: string | undefined

/** Start times are counted from boot; the boot id makes them unique across reboots. */
function bootId(): string {
  return (cachedBootId ??= readProc('sys/kernel/random/boot_id')?.trim() ?? '')
}

/** Identifies the pid namespace: another container has its own pids. */
export function readNamespace(): string {
  try {
    return `${bootId()}/${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return bootId()
  }
}

function readProc(path: string): string | undefined {
  try {
    // Node has a fast path for UTF-8. A process name may contain other bytes, but names are not used.
    return readFileSync(`/proc/${path}`, 'utf8')
  } catch {
    return undefined
  }
}

function entriesOf(path: string): readonly string[] {
  try {
    return readdirSync(`/proc/${path}`)
  } catch {
    return []
  }
}
