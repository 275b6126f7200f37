import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import type { Descendant } from '../platform.ts'

interface Row extends Descendant {
  readonly parent: number
}

/** What Linux tells about a process; `undefined` when it is gone. One that only waits to be collected is gone too. */
export function readProcess(pid: number): Row | undefined {
  const stat = readProc(`${pid}/stat`)
  if (stat === undefined) return undefined
  // The name before the bracket may itself hold spaces and brackets.
  const [state, parent, group, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ', 20)
  if (state === 'Z' || state === 'X') return undefined
  return { pid, parent: Number(parent), group: Number(group), startMark: `${rest[16]}@${bootId()}` }
}

/** Everything below a process, nearest first. */
export function readDescendants(pid: number): readonly Descendant[] {
  const below: Descendant[] = []
  const hasChildLists = readProc(`self/task/${process.pid}/children`) !== undefined
  const childrenOf = hasChildLists ? listedChildren : scannedChildren()
  const waiting = [...childrenOf(pid)]
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const row = readProcess(next)
    if (!row) continue
    below.push({ pid: row.pid, group: row.group, startMark: row.startMark })
    waiting.push(...childrenOf(next))
  }
  return below
}

/** A child is listed with the thread that started it. */
function listedChildren(pid: number): readonly number[] {
  return entriesOf(`${pid}/task`).flatMap((thread) =>
    (readProc(`${pid}/task/${thread}/children`) ?? '').split(' ').filter(Boolean).map(Number),
  )
}

/** For a kernel without those lists: one look at every process. */
function scannedChildren(): (pid: number) => readonly number[] {
  const all = allProcesses()
  return (pid) => all.filter(({ parent }) => parent === pid).map((row) => row.pid)
}

/** Who lives in a group. It looks at every process, so ask a cheaper question first. */
export function readGroup(group: number): readonly number[] {
  return allProcesses()
    .filter((row) => row.group === group)
    .map(({ pid }) => pid)
}

function allProcesses(): readonly Row[] {
  return entriesOf('')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? [])
}

let boot: string | undefined

/** Ticks are counted from the start of the machine: with this they name a moment for good. */
function bootId(): string {
  return (boot ??= readProc('sys/kernel/random/boot_id')?.trim() ?? '')
}

/** Where process numbers mean what they mean here: another container counts its own. */
export function readNamespace(): string {
  try {
    return `${bootId()}/${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return bootId()
  }
}

function readProc(path: string): string | undefined {
  try {
    // Node reads text in this encoding in one step. A name may hold other bytes; nobody looks at names.
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
