import { createVolatileMemory, openMemory } from '../config/file-memory.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { isHostError } from '../model/error.ts'
import { forwardMemory } from '../model/memory.ts'
import type { Memory } from '../model/memory.ts'
import type { Platform } from '../platform/platform.ts'
import type { Store } from '../store/store-interface.ts'

/** The person's own memory: the private file until they have a store, and the store from then on (decision 051). */
export interface OwnMemory extends Memory {
  readonly recall: () => Promise<void>
  /** Why stored approvals are not used, if they are not. */
  readonly damage: Diagnostic | undefined
  close(): Promise<void>
}

/** How long an approval waits for a database that is away; without an answer a person is asked. */
const retryMs = 2000
/** A store that could not be opened is tried again after this time. */
const pauseMs = 30_000

/**
 * Reads the file only. Whether there is a store is looked at by `recall`, which runs before anything of the memory is relied on
 * or changed: most hosts never need it, and opening a store takes longer than everything else they do at their start.
 */
export async function openOwnMemory(platform: Platform): Promise<OwnMemory> {
  const file = await openMemory(platform)
  let current: Memory = file
  let store: Store | undefined
  let damage: Diagnostic | undefined
  let opening: Promise<void> | undefined
  let failedAt = -Infinity
  let place: Promise<string | undefined> | undefined
  /** From a store that cannot be used nothing is taken, and nothing is taken from a file beside it. */
  const withhold = (problem: Diagnostic) => {
    damage = problem
    if (current === file) current = createVolatileMemory(() => platform.clock.now())
  }
  const open = async () => {
    const { openOwnStore } = await import('./own-store.ts')
    const opened = await openOwnStore({ platform, retryMs })
    store = opened.store
    damage = opened.problems.find(({ code }) => code.startsWith('store-'))
    if (store) current = store.memory
    else if (damage) {
      failedAt = platform.clock.monotonic()
      withhold(damage)
    }
  }
  const find = async () => {
    if (store || platform.clock.monotonic() < failedAt + pauseMs) return
    place ??= findPlace(platform)
    const path = await place
    if (path !== undefined && !(await platform.files.stat(path))) return
    await open().catch((error: unknown) => {
      failedAt = platform.clock.monotonic()
      place = undefined
      withhold(toProblem(error))
    })
  }
  return {
    ...forwardMemory(() => current),
    get damage() {
      return damage ?? (current === file ? file.damage : undefined)
    },
    async recall() {
      await (opening ??= find().finally(() => (opening = undefined)))
      await current.recall?.()
    },
    close: async () => {
      await opening
      await store?.close()
    },
  }
}

/** The file that a store would be; `undefined` if the person has named a database. */
async function findPlace(platform: Platform): Promise<string | undefined> {
  const { ownStoreFile } = await import('./own-store.ts')
  return ownStoreFile(platform)
}

function toProblem(error: unknown): Diagnostic {
  const [message, hint] = isHostError(error) ? [error.message, error.hint] : [String(error), undefined]
  return {
    code: 'store-damaged',
    severity: 'error',
    message: `The stored approvals cannot be used. ${message} Every call that needs approval asks again.`,
    ...(hint !== undefined && { hint }),
  }
}
