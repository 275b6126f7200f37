import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'

const drafts = new Map<string, Signal<string>>()

/**
 * Text that was typed and not sent, by what it is for: `chat:ID`, `chat:new`, `question:ID`. It survives another place and
 * a reload of the tab.
 */
export function draftOf(name: string): Signal<string> {
  const known = drafts.get(name)
  if (known) return known
  const draft = signal(sessionStorage.getItem(keyOf(name)) ?? '')
  draft.subscribe((text) => keep(keyOf(name), text))
  drafts.set(name, draft)
  return draft
}

function keyOf(name: string): string {
  return `plugboard.draft.${name}`
}

function keep(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, text)
  } catch {
    // The storage of the browser is full: the text stays in this tab until it is closed.
  }
}
