import { computed, signal } from '@preact/signals'
import type { ConversationRow, Fault, RouteAnswer } from '../../../../src/client.ts'
import { toFault } from '../../state/answers.ts'
import { send } from '../../state/client.ts'
import { onFeed } from '../../state/page-state.ts'

type Listed = RouteAnswer<'GET /api/conversations'>

const listed = signal<Listed | undefined>(undefined)

/** The newest first; undefined until they are loaded. */
export const conversations = computed(() => listed.value?.conversations)
/** Why nothing is kept; undefined if all is. */
export const notKept = computed(() =>
  listed.value?.isKept === false ? (listed.value.notKept ?? '') : undefined,
)
export const listProblem = signal<Fault | undefined>(undefined)

export async function loadConversations(): Promise<void> {
  try {
    listed.value = await send('GET /api/conversations')
    listProblem.value = undefined
  } catch (error) {
    listProblem.value = toFault(error)
  }
}

/** Puts a changed conversation into its place: the newest first. */
export function placeConversation(row: ConversationRow): void {
  const now = listed.value
  if (!now) return
  const others = now.conversations.filter(({ id }) => id !== row.id)
  const at = others.findIndex(({ updatedAt }) => updatedAt < row.updatedAt)
  const rows = at < 0 ? [...others, row] : others.toSpliced(at, 0, row)
  listed.value = { ...now, conversations: rows }
}

export function dropConversation(gone: string): void {
  const now = listed.value
  if (now) listed.value = { ...now, conversations: now.conversations.filter(({ id }) => id !== gone) }
}

/** Loads the list and keeps it true; returns what ends it. */
export function followConversations(): () => void {
  void loadConversations()
  const ends = [
    onFeed('snapshot', () => void loadConversations()),
    onFeed('conversation.changed', ({ conversation }) => placeConversation(conversation)),
    onFeed('conversation.removed', ({ id }) => dropConversation(id)),
  ]
  return () => ends.forEach((end) => end())
}
