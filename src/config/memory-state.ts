import { isList, isObject, isStringArray, listOf } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Approval } from '../model/memory.ts'

/** The stored state of one conversation. */
export interface ConversationState {
  readonly id: string
  /** Time of the last change, as ISO 8601. */
  readonly at: string
  readonly switches: ReadonlyMap<string, boolean>
}

/** The whole content of the memory. Lists are ordered from oldest to newest. */
export interface MemoryState {
  readonly conversations: readonly ConversationState[]
  readonly approvals: readonly Approval[]
}

export const emptyState: MemoryState = { conversations: [], approvals: [] }

/** Limits of the file. A conversation beyond them loses its switches and approvals. */
const maxConversations = 500
const maxApprovals = 2000

/** Drops the oldest conversations and approvals beyond the limits. A dropped conversation loses its approvals too. */
export function limitState({ conversations, approvals }: MemoryState): MemoryState {
  const kept = conversations.slice(-maxConversations)
  const known = new Set(kept.map(({ id }) => id))
  const inForce = approvals.filter(
    ({ conversation }) => conversation === undefined || known.has(conversation),
  )
  return { conversations: kept, approvals: inForce.slice(-maxApprovals) }
}

export function withSwitch(
  state: MemoryState,
  {
    conversation,
    server,
    on,
    at,
  }: { conversation: string; server: string; on: boolean | undefined; at: string },
): MemoryState {
  return updateConversation(state, conversation, at, (before) => {
    const switches = new Map(before)
    if (on === undefined) switches.delete(server)
    else switches.set(server, on)
    return switches
  })
}

/** Adds an approval. It replaces an earlier one for the same question. */
export function withApproval(state: MemoryState, approval: Approval): MemoryState {
  const { at, conversation } = approval
  const key = keyOf(approval)
  const approvals = [...state.approvals.filter((each) => keyOf(each) !== key), approval]
  const next = { ...state, approvals }
  return conversation === undefined
    ? next
    : updateConversation(next, conversation, at, (switches) => switches)
}

export function withoutApprovals(
  state: MemoryState,
  which: { readonly ref?: string; readonly conversation?: string },
): MemoryState {
  const isSelected = ({ ref, conversation }: Approval) =>
    (which.ref ?? ref) === ref && (which.conversation ?? conversation) === conversation
  return { ...state, approvals: state.approvals.filter((each) => !isSelected(each)) }
}

function keyOf({ ref, definition, entry, asks, conversation }: Approval): string {
  return JSON.stringify([ref, definition, entry, asks, conversation ?? null])
}

/** Changes the switches of a conversation and moves it to the end of the list. */
function updateConversation(
  state: MemoryState,
  id: string,
  at: string,
  change: (switches: ConversationState['switches']) => ConversationState['switches'],
): MemoryState {
  const before = state.conversations.find((each) => each.id === id)?.switches ?? new Map<string, boolean>()
  const others = state.conversations.filter((each) => each.id !== id)
  return { ...state, conversations: [...others, { id, at, switches: change(before) }] }
}

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

/** Switches only restrict, so every readable one is used. Approvals grant, so a single damaged one invalidates all of them. */
export function parseMemory(text: string): { readonly state: MemoryState; readonly damage?: string } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { state: emptyState, damage: 'it is not valid JSON' }
  }
  if (!isObject(value)) return { state: emptyState, damage: 'it is not a JSON object' }
  const conversations = listOf(value['conversations']).flatMap((each) => toConversationState(each) ?? [])
  if (value['version'] !== 1) {
    const version = JSON.stringify(value['version'])
    return {
      state: { conversations, approvals: [] },
      damage: `version ${version} is not supported`,
    }
  }
  const { approvals } = value
  if (!isList(approvals) || !approvals.every(isApproval))
    return { state: { conversations, approvals: [] }, damage: 'an approval in it is incomplete' }
  return { state: { conversations, approvals } }
}

function toConversationState(value: unknown): ConversationState | undefined {
  if (!isObject(value)) return undefined
  const { id, at, on = [], off = [] } = value
  if (typeof id !== 'string' || typeof at !== 'string' || !isStringArray(on) || !isStringArray(off))
    return undefined
  // Off comes last: a server that is in both lists is off.
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
