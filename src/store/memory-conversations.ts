import { randomUUID } from 'node:crypto'
import { changedMeanwhile, checkCut, noConversation } from './conversation-errors.ts'
import type { Conversation, Conversations, StoredMessage } from './conversation.ts'

interface Held {
  conversation: Conversation
  messages: readonly StoredMessage[]
}

/** Conversations that last as long as this process, for a machine where none can be kept. They behave as stored ones. */
export function createMemoryConversations(now: () => number = Date.now): Conversations {
  const held = new Map<string, Held>()
  const time = () => new Date(now()).toISOString()
  const find = (id: string): Held => {
    const found = held.get(id)
    if (!found) throw noConversation(id)
    return found
  }
  /** Replaces the messages if there are still as many as the caller says. */
  const replace = (id: string, from: number, messages: (before: Held['messages']) => Held['messages']) => {
    const each = find(id)
    if (each.messages.length !== from) throw changedMeanwhile(id, each.messages.length)
    each.messages = messages(each.messages)
    each.conversation = { ...each.conversation, length: each.messages.length, updatedAt: time() }
    // The last one changed is the newest.
    held.delete(id)
    held.set(id, each)
    return each.messages.length
  }
  return {
    async create({ cwd, title = '', agent, model }) {
      const at = time()
      const conversation: Conversation = {
        id: randomUUID(),
        title,
        cwd,
        ...(agent !== undefined && { agent }),
        ...(model !== undefined && { model }),
        createdAt: at,
        updatedAt: at,
        length: 0,
      }
      held.set(conversation.id, { conversation, messages: [] })
      return conversation
    },

    get: async (id) => held.get(id)?.conversation,

    async list({ limit = 100, like = '', cwd } = {}) {
      return [...held.values()]
        .map(({ conversation }) => conversation)
        .filter((each) => each.id.startsWith(like) && (cwd ?? each.cwd) === each.cwd)
        .reverse()
        .slice(0, limit)
    },

    async change(id, { title, agent, model }) {
      const each = held.get(id)
      if (!each) return
      const { agent: agentBefore, model: modelBefore, ...rest } = each.conversation
      const [nextAgent, nextModel] = [
        agent === undefined ? agentBefore : agent,
        model === undefined ? modelBefore : model,
      ]
      each.conversation = {
        ...rest,
        ...(title !== undefined && { title }),
        ...(typeof nextAgent === 'string' && { agent: nextAgent }),
        ...(typeof nextModel === 'string' && { model: nextModel }),
        updatedAt: time(),
      }
      held.delete(id)
      held.set(id, each)
    },

    messages: async (id) => held.get(id)?.messages ?? [],

    async append(id, after, messages) {
      const at = time()
      return replace(id, after, (before) => [
        ...before,
        ...messages.map(({ role, content }, index) => ({ seq: after + 1 + index, role, content, at })),
      ])
    },

    async truncate(id, from, length) {
      checkCut(from, length)
      replace(id, from, (before) => before.slice(0, length))
    },

    remove: async (id) => held.delete(id),
  }
}
