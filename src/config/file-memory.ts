import { join } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Memory } from '../model/memory.ts'
import type { FileStat, FileText, Platform } from '../platform/platform.ts'
import {
  emptyState,
  limitState,
  parseMemory,
  toMemoryText,
  withApproval,
  withSwitch,
  withoutApprovals,
} from './memory-state.ts'
import type { MemoryState } from './memory-state.ts'
import { findForeignAccess } from './private-file-checks.ts'
import { stateDirectory } from './own-directories.ts'

/** Switches and approvals in a private file of the state directory. */
export interface FileMemory extends Memory {
  readonly file: string
  /** Set if the file is damaged: its approvals are not used, and it is not overwritten. */
  readonly damage: Diagnostic | undefined
  /** Reads the file again, for changes of other programs. */
  reload(): Promise<void>
  /** Reloads if the file has changed since it was read. Called before an approval is relied on. */
  readonly recall: () => Promise<void>
}

type StateChange = (state: MemoryState) => MemoryState
/** Writes a change to the file. */
type PersistChange = (change: StateChange) => Promise<void>

export function memoryFile(platform: Pick<Platform, 'env' | 'home'>): string {
  return join(stateDirectory(platform), 'memory.json')
}

/** C33: a memory without a file, for hosts that store nothing. */
export function createVolatileMemory(now: () => number): Memory {
  return createMemory({ state: emptyState }, now, async () => undefined)
}

export async function openMemory(platform: Platform): Promise<FileMemory> {
  const path = memoryFile(platform)
  const snapshot: MemorySnapshot = await readMemory(platform)
  // Changes of this process that are not in the file: not written yet, or refused. They stay in force here.
  const unwritten = new Set<StateChange>()
  const replaceSnapshot = (found: MemorySnapshot) => {
    snapshot.damage = found.damage
    snapshot.seen = found.seen
    snapshot.state = [...unwritten].reduce((state, change) => limitState(change(state)), found.state)
  }
  let last: Promise<unknown> = Promise.resolve()
  /** Reads and writes run one at a time: a read that started before a change must not replace its result. */
  const runInOrder = (work: () => Promise<void>) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
  const persist: PersistChange = (change) => {
    unwritten.add(change)
    return runInOrder(async () => {
      const state = await writeChange(change, platform)
      unwritten.delete(change)
      replaceSnapshot({ state })
    })
  }
  const reload = () => runInOrder(async () => replaceSnapshot(await readMemory(platform)))
  return {
    ...createMemory(snapshot, () => platform.clock.now(), persist),
    file: path,
    get damage() {
      return snapshot.damage
    },
    reload,
    async recall() {
      if (!isSame(await platform.files.stat(path), snapshot.seen)) await reload()
    },
  }
}

async function writeChange(change: StateChange, platform: Platform): Promise<MemoryState> {
  // Loaded on demand: most hosts only read.
  const { editStore } = await import('./private-file-edit.ts')
  let state = emptyState
  await editStore({
    path: memoryFile(platform),
    platform,
    read: () => readMemory(platform),
    toText(found) {
      state = limitState(change(found.state))
      return toMemoryText(state)
    },
  })
  return state
}

export interface MemorySnapshot {
  state: MemoryState
  damage?: Diagnostic | undefined
  /** The stat of the file when it was read; `undefined` after a write. */
  seen?: FileStat | 'none' | undefined
}

function createMemory(snapshot: MemorySnapshot, now: () => number, persist: PersistChange): Memory {
  const apply = (change: StateChange): Promise<void> => {
    snapshot.state = limitState(change(snapshot.state))
    return persist(change)
  }
  return {
    toggles: {
      of: (conversation) =>
        snapshot.state.conversations.find(({ id }) => id === conversation)?.switches ?? new Map(),
      set(conversation, server, on) {
        const at = new Date(now()).toISOString()
        return apply((state) => withSwitch(state, { conversation, server, on, at }))
      },
    },
    approvals: {
      of: (conversation) =>
        snapshot.state.approvals.filter(
          (each) => each.conversation === undefined || each.conversation === conversation,
        ),
      add: (approval) => apply((state) => withApproval(state, approval)),
      async revoke(which = {}) {
        let removed = 0
        await apply((state) => {
          const next = withoutApprovals(state, which)
          removed = Math.max(removed, state.approvals.length - next.approvals.length)
          return next
        })
        return removed
      },
    },
  }
}

export async function readMemory(platform: Platform): Promise<MemorySnapshot> {
  const file = memoryFile(platform)
  const found = await platform.files.readText(file)
  const { state, damage } = stateOf(found)
  const why = damage ?? (found.kind === 'text' ? await findForeignAccess(file, platform) : undefined)
  const seen = found.kind === 'text' ? found.stat : found.kind === 'absent' ? 'none' : undefined
  if (why === undefined) return { state, seen }
  return { state: { ...state, approvals: [] }, damage: toDamage(file, why), seen }
}

function isSame(now: FileStat | undefined, seen: MemorySnapshot['seen']): boolean {
  if (!now || !seen || seen === 'none') return !now && seen === 'none'
  const fields = ['mtimeMs', 'size', 'mode', 'uid'] as const
  return fields.every((field) => now[field] === seen[field])
}

function stateOf(found: FileText): ReturnType<typeof parseMemory> {
  if (found.kind === 'text') return parseMemory(found.text)
  return found.kind === 'absent' ? { state: emptyState } : { state: emptyState, damage: found.message }
}

function toDamage(file: string, why: string): Diagnostic {
  return {
    code: 'store-damaged',
    severity: 'error',
    message: `The stored approvals cannot be used: ${why}. Every call that needs approval asks again.`,
    hint: `Repair ${file} or remove it.`,
    origin: { file },
  }
}
