import type { Memory } from '../../../index.ts'
import { createVolatileMemory, forwardMemory } from '../../../internal.ts'
import type { TalkStore } from './talk-store.ts'

/**
 * Switches and approvals for all hosts of `serve`. Opened by the first `recall`, which hosts call before they rely on anything
 * or change it: opening a store takes longer than everything else at the start.
 */
export function createServeMemory(
  kept: () => Promise<TalkStore>,
): Memory & { readonly recall: () => Promise<void> } {
  let current: Memory = createVolatileMemory(Date.now)
  return {
    ...forwardMemory(() => current),
    async recall() {
      current = (await kept()).memory
      await current.recall?.()
    },
  }
}
