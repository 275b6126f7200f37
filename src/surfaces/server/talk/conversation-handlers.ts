import { HostError } from '../../../index.ts'
import { describeModel } from '../../../models.ts'
import type { Conversation, StoredMessage } from '../../../store.ts'
import { toMarkdown } from '../../facts/conversation-text.ts'
import type { Handlers } from '../handler.ts'
import type { ServeContext } from '../serve-context.ts'
import { describeSwitches, switchServer } from './conversation-switches.ts'
import { modelPlace } from './talk-model.ts'
import { talkOf } from './talk.ts'
import type { Talk } from './talk.ts'

const usualMessages = 50
const maxMessages = 500
const maxListed = 200
const maxTitle = 200

export const conversationHandlers = {
  'GET /api/conversations': async (context) => {
    const talk = talkOf(context)
    const { conversations, notKept } = await talk.kept()
    const found = await conversations.list({ limit: maxListed })
    return {
      conversations: await talk.rows(found),
      isKept: notKept === undefined,
      ...(notKept !== undefined && { notKept }),
    }
  },

  'POST /api/conversations': async (context, { body: { cwd, agent, model } }) => {
    const talk = talkOf(context)
    if (agent !== undefined) await checkAgent(talk, cwd ?? context.cwd, agent)
    if (model !== undefined) await checkModel(context, model)
    const conversation = await talk.create({
      ...(cwd !== undefined && { cwd }),
      ...(agent !== undefined && { agent }),
      ...(model !== undefined && { model }),
    })
    return answerOf(talk, conversation)
  },

  'GET /api/conversations/:conversation': async (context, { params, query = {} }) => {
    const talk = talkOf(context)
    const conversation = await talk.find(params.conversation)
    const { conversations } = await talk.kept()
    await talk.refresh(conversation.id)
    // First, because it takes longest: what follows is of one moment, so that events go on from it.
    const { servers, problem } = await serversOf(talk, context, conversation)
    const stored = await conversations.messages(conversation.id)
    const row = await currentRow(talk, conversation.id)
    const live = await talk.live(conversation.id)
    const { messages, hasEarlier } = pageOf(live ? live.messages() : stored, query)
    return {
      conversation: row,
      messages,
      hasEarlier,
      running: live?.running ?? [],
      usage: live?.usage ?? noUsage,
      servers,
      notes: [...(live?.notes ?? []), ...(problem === undefined ? [] : [problem])],
    }
  },

  'PATCH /api/conversations/:conversation': async (context, { params, body: { title, agent, model } }) => {
    const talk = talkOf(context)
    const conversation = await talk.find(params.conversation)
    const { conversations } = await talk.kept()
    if (typeof agent === 'string') await checkAgent(talk, conversation.cwd, agent)
    if (model !== undefined) await checkModel(context, model)
    await conversations.change(conversation.id, {
      ...(title !== undefined && { title: title.trim().slice(0, maxTitle) }),
      ...(agent !== undefined && { agent }),
      // An agent's file may name its model.
      ...(model === undefined ? typeof agent === 'string' && { model: null } : { model }),
    })
    talk.changed(conversation.id)
    return answerOf(talk, await talk.find(conversation.id))
  },

  'DELETE /api/conversations/:conversation': async (context, { params }) => {
    const talk = talkOf(context)
    const { id } = await talk.find(params.conversation)
    return { isDeleted: await talk.remove(id) }
  },

  'GET /api/conversations/:conversation/export': async (context, { params, query = {} }) => {
    const talk = talkOf(context)
    const conversation = await talk.find(params.conversation)
    const { conversations } = await talk.kept()
    const live = await talk.live(conversation.id)
    const messages = live ? live.agent.messages() : await conversations.messages(conversation.id)
    const isJson = query.format === 'json'
    const document = { version: 1, ...conversation, messages }
    return {
      name: `conversation-${conversation.id.slice(0, 8)}.${isJson ? 'json' : 'md'}`,
      text: `${isJson ? JSON.stringify(document, null, 2) : toMarkdown(conversation, messages)}\n`,
    }
  },

  'GET /api/conversations/:conversation/servers': async (context, { params }) => {
    const talk = talkOf(context)
    return describeSwitches(talk, context, await talk.find(params.conversation))
  },

  'PUT /api/conversations/:conversation/servers/:server': async (context, { params, body }) => {
    const talk = talkOf(context)
    const conversation = await talk.find(params.conversation)
    await switchServer(talk, context, conversation, { server: params.server, on: body.enabled })
    return describeSwitches(talk, context, conversation)
  },
} satisfies Partial<Handlers>

const noUsage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, isEstimated: false }

/** The messages before `before`, the last ones of them. */
function pageOf(
  all: readonly StoredMessage[],
  { before, limit }: { readonly before?: string; readonly limit?: string },
): { readonly messages: readonly StoredMessage[]; readonly hasEarlier: boolean } {
  const end = before === undefined ? Infinity : toCount(before, 'before')
  const wanted = limit === undefined ? usualMessages : Math.min(toCount(limit, 'limit'), maxMessages)
  const earlier = all.filter(({ seq }) => seq < end)
  return { messages: earlier.slice(-wanted), hasEarlier: earlier.length > wanted }
}

function toCount(text: string, name: string): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw new HostError('usage', {}, `"${name}" is a whole number from 1 on.`)
}

/** The row as it is now: a turn may begin or end while it is read. */
async function currentRow(talk: Talk, id: string) {
  for (;;) {
    const [row] = await talk.rows([await talk.find(id)])
    const live = await talk.live(id)
    if (row?.isRunning === (live?.isRunning ?? false)) return row
  }
}

/** A folder that is gone does not hide what was said in it. */
async function serversOf(talk: Talk, context: ServeContext, conversation: Conversation) {
  try {
    return { servers: await describeSwitches(talk, context, conversation), problem: undefined }
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    const none = { servers: [], tokens: 0, window: 0, mode: 'all' as const }
    return { servers: none, problem: error.message }
  }
}

async function answerOf(talk: Talk, conversation: Conversation) {
  const [row] = await talk.rows([conversation])
  return { conversation: present(row) }
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a row for each conversation')
  return value
}

async function checkAgent(talk: Talk, cwd: string, name: string): Promise<void> {
  const { host, release } = await talk.hosts.take(cwd)
  try {
    using view = await host.scope({ agent: name })
    view.tools()
  } finally {
    release()
  }
}

/** Throws if no endpoint has the name; nothing is asked of it. */
async function checkModel({ isDemo, discover }: ServeContext, model: string): Promise<void> {
  if (!isDemo) await describeModel(model, modelPlace(discover))
}
