import type { Area } from '../area.ts'
import type { ServeContext } from '../serve-context.ts'
import { conversationHandlers } from './conversation-handlers.ts'
import { mcpStatusHandlers } from './mcp-status-handlers.ts'
import { modelHandlers } from './model-handlers.ts'
import { pendingQuestions, questionHandlers } from './question-handlers.ts'
import { followStore } from './store-changes.ts'
import type { StoreFollower } from './store-changes.ts'
import { talkOf } from './talk.ts'
import { turnHandlers } from './turn-handlers.ts'

const maxCounted = 1000

const followers = new WeakMap<ServeContext, StoreFollower>()

/** Conversations, questions and models. */
export const talkArea: Area = {
  handlers: {
    ...conversationHandlers,
    ...turnHandlers,
    ...questionHandlers,
    ...modelHandlers,
    ...mcpStatusHandlers,
  },

  async counts(context) {
    const { conversations } = await context.desk.kept()
    return { conversations: (await conversations.list({ limit: maxCounted })).length }
  },

  async snapshot(context) {
    const { desk } = context
    // From here on changes are events.
    await followers.get(context)?.begin()
    const { questions } = await desk.kept()
    await questions.expireLeft()
    return { questions: await desk.describe(await pendingQuestions(desk)) }
  },

  follow(context) {
    const talk = talkOf(context)
    const { desk, host } = context
    const store = followStore(context, talk)
    followers.set(context, store)
    const following = [
      store,
      desk.followLogins(host),
      desk.onChanged(({ conversation }) => {
        if (conversation !== undefined) talk.changed(conversation)
      }),
    ]
    return {
      [Symbol.dispose]() {
        for (const each of following) each[Symbol.dispose]()
      },
    }
  },
}
