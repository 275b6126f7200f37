import { hasEndpoint } from './combine.ts'
import type { Draft } from './draft.ts'

/** A switch for a server that no layer declares: legal, and nothing to start. */
export function dropIdleSwitches(drafts: readonly Draft[]): void {
  for (const draft of drafts) {
    const keys = draft.declared.flatMap(({ entry }) => Object.keys(entry))
    if (!hasEndpoint(draft) && keys.every((key) => key === 'enabled' || key === 'disabled'))
      draft.refused = true
  }
}
