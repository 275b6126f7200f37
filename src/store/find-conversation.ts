import { HostError } from '../model/error.ts'
import { noConversation } from './conversation-errors.ts'
import type { Conversation, Conversations } from './conversation.ts'

/** The conversation with this id, or the only one whose id begins so. */
export async function findConversation(
  conversations: Pick<Conversations, 'get' | 'list'>,
  given: string,
): Promise<Conversation> {
  const start = given.trim().toLowerCase()
  const exact = await conversations.get(start)
  if (exact) return exact
  const [found, ...more] = start === '' ? [] : await conversations.list({ like: start, limit: maxNamed + 1 })
  if (!found) throw noConversation(given)
  if (more.length === 0) return found
  const named = [found, ...more].slice(0, maxNamed).map(({ id }) => id)
  const others = more.length >= maxNamed ? ' …' : ''
  throw new HostError('usage', {}, `Several conversations begin with "${given}".`, {
    hint: `Write more of the id: ${named.join(', ')}${others}`,
  })
}

const maxNamed = 5
