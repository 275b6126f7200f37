import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import { keepTool, readKept, takeArguments } from './tool-drafts.ts'
import type { KeptTool } from './tool-drafts.ts'

const open = new Map<string, Signal<KeptTool>>()

/** The draft of a tool, the same wherever it is drawn; each change is stored at once. */
export function keptTool(ref: string): Signal<KeptTool> {
  const known = open.get(ref)
  if (known) return known
  const kept = signal(readKept(sessionStorage, ref))
  kept.subscribe((next) => keepTool(sessionStorage, ref, next))
  open.set(ref, kept)
  return kept
}

/** The draft of a tool with the arguments of the address, which are taken once. */
export function keptToolAt(ref: string, given: string | undefined): Signal<KeptTool> {
  const kept = keptTool(ref)
  const taken = takeArguments(kept.peek(), given)
  if (taken !== kept.peek()) kept.value = taken
  return kept
}
