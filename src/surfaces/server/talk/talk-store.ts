import { isHostError } from '../../../index.ts'
import type { Memory } from '../../../index.ts'
import { createVolatileMemory } from '../../../internal.ts'
import { createMemoryConversations, createMemoryQuestions, notKept } from '../../../store.ts'
import type { Conversations, OwnStore, Questions, Store } from '../../../store.ts'

/** Conversations and questions, of the person's store or in memory where nothing can be kept. */
export interface TalkStore {
  readonly conversations: Conversations
  readonly questions: Questions
  /** Switches and approvals. */
  readonly memory: Memory
  /** Absent: everything ends with `serve`. */
  readonly store?: Store
  /** Why nothing is kept, with the next step. */
  readonly notKept?: string
}

export interface TalkStoreOptions {
  readonly isDemo: boolean
  readonly open: () => Promise<OwnStore>
}

/** A store that cannot be used does not end the conversations: they are in memory then, and the page says why. */
export async function openTalkStore({ isDemo, open }: TalkStoreOptions): Promise<TalkStore> {
  const opened = await open().catch((error: unknown) => ({ problems: [], error }))
  const memory = ('memory' in opened && opened.memory) || createVolatileMemory(Date.now)
  if ('store' in opened && opened.store) {
    const { store } = opened
    const { conversations, questions } = store
    return { conversations, questions, memory, store, ...(isDemo && { notKept: demoNote }) }
  }
  return {
    conversations: createMemoryConversations(),
    questions: createMemoryQuestions(),
    memory,
    notKept: isDemo ? demoNote : whyNot(opened),
  }
}

const demoNote = 'The demo keeps nothing: its conversations end with it.'

function whyNot({ problems, error }: Pick<OwnStore, 'problems'> & { readonly error?: unknown }): string {
  const { message, hint } = isHostError(error) ? error : notKept(problems)
  return hint === undefined ? message : `${message} ${hint}`
}
