import type { Diagnostic } from '../model/diagnostic.ts'
import { HostError } from '../model/error.ts'
import { noConversation } from './conversation-errors.ts'
import type { Conversation, Conversations } from './conversation.ts'

/** The conversation that goes on: the one that an id means, or with an empty id the last one of a folder. */
export async function resumeConversation(
  own: {
    readonly store?: { readonly conversations: Pick<Conversations, 'get' | 'list'> }
    readonly problems: readonly Diagnostic[]
  },
  { id, cwd }: { readonly id: string; readonly cwd: string },
): Promise<Conversation> {
  if (!own.store) throw notKept(own.problems)
  const { conversations } = own.store
  if (id.trim() !== '') return findConversation(conversations, id)
  const [newest] = await conversations.list({ cwd, limit: 1 })
  if (newest) return newest
  throw new HostError('store.unknown', { conversation: '' }, 'There is no conversation of this folder yet.', {
    hint: 'See all: plugboard conversations',
  })
}

/** The error of what needs a store where there is none: why, and which command changes that. */
export function notKept(problems: readonly Diagnostic[]): HostError {
  const { message, hint, origin } = problems.find(({ code }) => code === 'store-without-driver') ?? {
    message: 'No conversations are kept here.',
  }
  return new HostError('store.unavailable', { place: origin?.file ?? '' }, message, hint ? { hint } : {})
}

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
