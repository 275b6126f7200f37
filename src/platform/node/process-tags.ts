import { readFileSync } from 'node:fs'
import { parseStartTags, startTagVariable } from '../start-tag.ts'
import type { TaggedProcess } from '../platform.ts'
import { listedChildren, readProcess, runningPids } from './process-table.ts'

/** Rows are read again after this time. Servers that stop together share them. */
const freshMs = 500
const loadingMs = 20
/** Reading every process of a large machine takes a while, so other work runs in between. */
const sliceSize = 50

interface CachedRow {
  readonly row: TaggedProcess | undefined
  readonly at: number
}

let cache = new Map<number, CachedRow>()

let reading: Promise<readonly TaggedProcess[]> | undefined

/** One reading for all who ask in the same turn: servers that stop together ask together. */
export function readTaggedOrphans(): Promise<readonly TaggedProcess[]> {
  return (reading ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
    reading = undefined
    return readOrphansNow()
  }))
}

/**
 * Processes with a tag, or with an empty environment, among those that have lost their parent. The kernel gives such a process to the init process or
 * to a nearer ancestor of its parents, and these are our own ancestors: only their children are read.
 */
async function readOrphansNow(): Promise<readonly TaggedProcess[]> {
  const adopted = childrenOfAncestors()
  if (!adopted) return readAllTagged()
  const now = performance.now()
  const fresh = new Map<number, CachedRow>()
  for (const pid of adopted) {
    const known = cache.get(pid)
    fresh.set(pid, known && now - known.at < freshMs ? known : { row: readRow(pid), at: now })
  }
  // A program that is just being loaded has no environment for a moment.
  const bare = [...fresh].filter(([, { row }]) => row?.tags.length === 0)
  if (bare.length > 0) await new Promise((resolve) => setTimeout(resolve, loadingMs))
  for (const [pid] of bare) fresh.set(pid, { row: readRow(pid), at: now })
  cache = fresh
  return [...fresh.values()].flatMap(({ row }) => row ?? [])
}

/** Processes with a tag among all processes of this user. */
export async function readAllTagged(): Promise<readonly TaggedProcess[]> {
  const found: TaggedProcess[] = []
  for (const [index, pid] of runningPids().entries()) {
    if (index % sliceSize === sliceSize - 1) await new Promise((resolve) => setImmediate(resolve))
    const row = readRow(pid)
    if (row && row.tags.length > 0) found.push(row)
  }
  return found
}

/** Undefined if the system does not list the children of all our ancestors. */
function childrenOfAncestors(): ReadonlySet<number> | undefined {
  const ancestors = new Set([process.pid, 1])
  for (let pid = readProcess(process.pid)?.parent ?? 0; pid > 1;) {
    ancestors.add(pid)
    const row = readProcess(pid)
    if (!row) return undefined
    pid = row.parent
  }
  const children = [...ancestors].map(listedChildren)
  return children.every((list) => list !== undefined) ? new Set(children.flat()) : undefined
}

function readRow(pid: number): TaggedProcess | undefined {
  const environ = pid === process.pid ? undefined : readText(`/proc/${pid}/environ`)
  if (environ === undefined) return undefined
  const tags = tagsIn(environ)
  if (tags.length === 0 && hasPath(environ)) return undefined
  const row = readProcess(pid)
  // If the pid was reused in between, the row is that of another process.
  if (!row || readText(`/proc/${pid}/environ`) !== environ) return undefined
  const { startMark, group } = row
  return { pid, startMark, group, tags, program: (readText(`/proc/${pid}/comm`) ?? '').trimEnd() }
}

/** A server and what it starts have a `PATH`, unless the environment was removed: `env -i`, even if a shell adds `PWD`. */
function hasPath(environ: string): boolean {
  return `\0${environ}`.includes('\0PATH=')
}

function tagsIn(environ: string): readonly string[] {
  const text = `\0${environ}`
  const at = text.indexOf(`\0${startTagVariable}=`)
  if (at === -1) return []
  const from = at + startTagVariable.length + 2
  const to = text.indexOf('\0', from)
  return parseStartTags(text.slice(from, to === -1 ? undefined : to))
}

/** Undefined if the process has ended or belongs to another user. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}
