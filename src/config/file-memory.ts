import { join } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Memory } from '../model/memory.ts'
import type { FileStat, FileText, Platform } from '../platform/platform.ts'
import {
  bounded,
  emptyState,
  parseMemory,
  toMemoryText,
  withApproval,
  withSwitch,
  withoutApprovals,
} from './memory-state.ts'
import type { MemoryState } from './memory-state.ts'
import { isInProject, findForeignAccess } from './private-file-checks.ts'
import { stateDirectory } from './own-directories.ts'

/** The memory in a private file, as the state directory holds it. */
export interface FileMemory extends Memory {
  readonly file: string
  /** Why the file cannot be believed, if it cannot: no approval in it counts, and nothing is written over it. */
  readonly damage: Diagnostic | undefined
  /** Reads what other programs have written since. */
  reload(): Promise<void>
  /** Does so only if the file is another one than was read: whoever relies on it asks first. */
  readonly recall: () => Promise<void>
}

type Change = (state: MemoryState) => MemoryState
/** Keeps a change beyond this process. */
type Keep = (change: Change) => Promise<void>

export function memoryFile(platform: Pick<Platform, 'env' | 'home'>): string {
  return join(stateDirectory(platform), 'memory.json')
}

/** C33: for hosts that keep nothing. */
export function createVolatileMemory(now: () => number): Memory {
  return createMemory({ state: emptyState }, now, async () => undefined)
}

export async function openMemory(platform: Platform): Promise<FileMemory> {
  const path = memoryFile(platform)
  const held: Held = await readMemory(platform)
  // Made here and not in the file: still on their way there, or refused. They count in this process.
  const unkept = new Set<Change>()
  const take = (found: Held) => {
    held.damage = found.damage
    held.seen = found.seen
    held.state = [...unkept].reduce((state, change) => bounded(change(state)), found.state)
  }
  let last: Promise<unknown> = Promise.resolve()
  /** One after the other: what was read before a change must not take its place after it. */
  const inTurn = (work: () => Promise<void>) => {
    const mine = last.then(work)
    last = mine.catch(() => undefined)
    return mine
  }
  const keep: Keep = (change) => {
    unkept.add(change)
    return inTurn(async () => {
      const state = await writeChange(change, platform)
      unkept.delete(change)
      take({ state })
    })
  }
  const reload = () => inTurn(async () => take(await readMemory(platform)))
  return {
    ...createMemory(held, () => platform.clock.now(), keep),
    file: path,
    get damage() {
      return held.damage
    },
    reload,
    async recall() {
      if (!isSame(await platform.files.stat(path), held.seen)) await reload()
    },
  }
}

async function writeChange(change: Change, platform: Platform): Promise<MemoryState> {
  // Most hosts only read.
  const { editStore } = await import('./private-file-edit.ts')
  let state = emptyState
  await editStore({
    path: memoryFile(platform),
    platform,
    check: async () => (await readMemory(platform)).damage,
    read: () => readMemory(platform),
    toText(found) {
      state = bounded(change(found.state))
      return toMemoryText(state)
    },
  })
  return state
}

interface Held {
  state: MemoryState
  damage?: Diagnostic | undefined
  /** The file that was read; unknown once it was written. */
  seen?: FileStat | 'none' | undefined
}

function createMemory(held: Held, now: () => number, keep: Keep): Memory {
  const apply = (change: Change): Promise<void> => {
    held.state = bounded(change(held.state))
    return keep(change)
  }
  return {
    toggles: {
      of: (conversation) =>
        held.state.conversations.find(({ id }) => id === conversation)?.switches ?? new Map(),
      set(conversation, server, on) {
        const at = new Date(now()).toISOString()
        return apply((state) => withSwitch(state, { conversation, server, on, at }))
      },
    },
    approvals: {
      of: (conversation) =>
        held.state.approvals.filter(
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

async function readMemory(platform: Platform): Promise<Held> {
  const file = memoryFile(platform)
  const usual = memoryFile({ env: {}, home: platform.home })
  const isProjects = await isInProject(file, usual, platform)
  const found = await platform.files.readText(file)
  const { state, damage } = stateOf(found)
  const why = isProjects
    ? 'it is inside the project, and a project cannot approve itself'
    : (damage ?? (found.kind === 'text' ? await findForeignAccess(file, platform) : undefined))
  const seen = found.kind === 'text' ? found.stat : found.kind === 'absent' ? 'none' : undefined
  if (why === undefined) return { state, seen }
  return { state: { ...state, approvals: [] }, damage: damaged(file, why), seen }
}

function isSame(now: FileStat | undefined, seen: Held['seen']): boolean {
  if (!now || !seen || seen === 'none') return !now && seen === 'none'
  const fields = ['mtimeMs', 'size', 'mode', 'uid'] as const
  return fields.every((field) => now[field] === seen[field])
}

function stateOf(found: FileText): ReturnType<typeof parseMemory> {
  if (found.kind === 'text') return parseMemory(found.text)
  return found.kind === 'absent' ? { state: emptyState } : { state: emptyState, damage: found.message }
}

function damaged(file: string, why: string): Diagnostic {
  return {
    code: 'store-damaged',
    severity: 'error',
    message: `The memory of approvals cannot be used: ${why}. Every call that needs a yes asks again.`,
    hint: `Repair ${file} or remove it.`,
    origin: { file },
  }
}
