import { hasEndpoint } from './combine.ts'
import type { Draft } from './server-draft.ts'

/** A switch for a server that no layer declares: legal, and nothing to start. */
export function dropIdleSwitches(drafts: readonly Draft[]): void {
  for (const draft of drafts) {
    const keys = draft.declared.flatMap(({ entry }) => Object.keys(entry))
    const isSwitch = keys.length > 0 && keys.every((key) => key === 'enabled' || key === 'disabled')
    if (isSwitch && !hasEndpoint(draft)) draft.refused = true
  }
}
