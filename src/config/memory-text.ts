import { isList, isObject, isStringArray, listOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Approval } from '../model/memory.ts'
import { emptyState } from './memory-state.ts'
import type { MemoryState, Remembered } from './memory-state.ts'

export function toMemoryText({ conversations, approvals }: MemoryState): string {
  const written = {
    version: 1,
    conversations: conversations.map(({ id, at, switches }) => ({
      id,
      at,
      on: [...switches].flatMap(([server, on]) => (on ? [server] : [])),
      off: [...switches].flatMap(([server, on]) => (on ? [] : [server])),
    })),
    approvals,
  }
  return `${JSON.stringify(written, null, 2)}\n`
}

/** Switches only take away, so each that can be read counts. Approvals give: one that is damaged discredits all. */
export function parseMemory(text: string): { readonly state: MemoryState; readonly damage?: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { state: emptyState, damage: 'it is not valid JSON' }
  }
  if (!isObject(value)) return { state: emptyState, damage: 'it does not hold an object' }
  const conversations = listOf(value['conversations']).flatMap((each) => toRemembered(each) ?? [])
  if (value['version'] !== 1) {
    const version = JSON.stringify(value['version'])
    return {
      state: { conversations, approvals: [] },
      damage: `this program does not know its version ${version}`,
    }
  }
  const { approvals } = value
  if (!isList(approvals) || !approvals.every(isApproval))
    return { state: { conversations, approvals: [] }, damage: 'an approval in it is incomplete' }
  return { state: { conversations, approvals } }
}

function toRemembered(value: unknown): Remembered | undefined {
  if (!isObject(value)) return undefined
  const { id, at, on = [], off = [] } = value
  if (typeof id !== 'string' || typeof at !== 'string' || !isStringArray(on) || !isStringArray(off))
    return undefined
  // Off comes last: where the file says both, it is off.
  const switches = [
    ...on.map((server) => [server, true] as const),
    ...off.map((server) => [server, false] as const),
  ]
  return { id, at, switches: new Map(switches) }
}

function isApproval(value: unknown): value is Approval & JsonObject {
  if (!isObject(value)) return false
  const { ref, definition, entry, asks, conversation = '', at } = value
  const texts = [ref, definition, entry, conversation, at]
  return texts.every((text) => typeof text === 'string') && isStringArray(asks)
}
