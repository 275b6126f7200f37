import { resolve } from 'node:path'
import { createAgent } from '../../agent.ts'
import type { Agent, AgentModel } from '../../agent.ts'
import { HostError, createHost, isHostError } from '../../index.ts'
import type { DiscoverOptions, Host, HostOptions } from '../../index.ts'
import { openModel } from '../../models.ts'
import { openOwnStore } from '../../store.ts'
import type { Conversation, Store } from '../../store.ts'

/** A model and its server for a chat without a key. */
export interface Demo {
  readonly model: AgentModel
  readonly host: Pick<HostOptions, 'servers'>
}

export interface AgentChoice {
  readonly discover: DiscoverOptions
  readonly agent?: string
  readonly model?: string
  /** The id of a conversation or its beginning; empty for the last one of this folder. */
  readonly resume?: string
  readonly isDemo: boolean
  readonly openDemo: () => Promise<Demo>
  /** Asks whether to use the demo, because there is no model. */
  readonly offerDemo: (why: HostError) => Promise<boolean>
  /** The callbacks of the host. */
  readonly callbacks: (host: () => Host | undefined) => Partial<HostOptions>
  readonly closeOnEnd: (thing: { close(): Promise<void> }) => void
}

export interface OpenedAgent {
  readonly host: Host
  readonly agent: Agent
  readonly isDemo: boolean
  /** Whether there is a store, so that the conversation can go on later. */
  readonly isKept: boolean
  /** The folder of the conversation. */
  readonly cwd: string
  readonly resumed?: Conversation
  /** What a person should know about the start, one sentence each. */
  readonly notes: readonly string[]
}

/** Opens the store, the conversation, the model and the host of its folder, in this order: each depends on the one before. */
export async function openAgent(choice: AgentChoice): Promise<OpenedAgent> {
  let host: Host | undefined
  const here = resolve(choice.discover.cwd ?? '.')
  const { store, problems } = await openOwnStore({ cwd: here, redact: (text) => host?.redact(text) ?? text })
  if (store) choice.closeOnEnd(store)
  const resumed = choice.resume === undefined ? undefined : await findConversation(choice.resume, here, store)
  const cwd = resumed?.cwd ?? here
  const { model, demo } = await chooseModel(choice, resumed, cwd)
  host = await createHost({
    ...choice.discover,
    cwd,
    ...demo?.host,
    asks: 'writes',
    ...(store && { memory: store.memory }),
    ...choice.callbacks(() => host),
  })
  choice.closeOnEnd(host)
  const agentName = choice.agent ?? resumed?.agent
  const agent = await createAgent({
    host,
    model,
    cwd,
    ...(agentName !== undefined && { agent: agentName }),
    ...(store && !demo && { store }),
    ...(resumed && { conversation: resumed.id }),
  })
  choice.closeOnEnd(agent)
  return {
    host,
    agent,
    cwd,
    isDemo: demo !== undefined,
    isKept: store !== undefined && !demo,
    ...(resumed && { resumed }),
    notes: [
      ...problems.map(({ message, hint }) => (hint === undefined ? message : `${message} ${hint}`)),
      ...(cwd === here
        ? []
        : [`This conversation belongs to ${cwd}: its servers, trust and files are used.`]),
    ],
  }
}

async function findConversation(
  wanted: string,
  cwd: string,
  store: Store | undefined,
): Promise<Conversation> {
  if (!store)
    throw new HostError('usage', {}, 'No conversation is kept here, so none can go on.', {
      hint: 'Begin one: plugboard chat',
    })
  if (wanted === '') {
    const [newest] = await store.conversations.list({ cwd, limit: 1 })
    if (newest) return newest
    throw new HostError('usage', {}, 'There is no conversation of this folder yet.', {
      hint: 'See all: plugboard conversations. Begin one: plugboard chat',
    })
  }
  const found = await store.conversations.list({ like: wanted, limit: 2 })
  if (found.length === 1 && found[0]) return found[0]
  throw new HostError(
    'usage',
    {},
    found.length === 0
      ? `There is no conversation "${wanted}".`
      : `Several conversations begin with "${wanted}".`,
    { hint: 'See all: plugboard conversations' },
  )
}

async function chooseModel(
  choice: AgentChoice,
  resumed: Conversation | undefined,
  cwd: string,
): Promise<{ readonly model: AgentModel; readonly demo?: Demo }> {
  const openDemo = async () => {
    const demo = await choice.openDemo()
    return { model: demo.model, demo }
  }
  if (choice.isDemo) return openDemo()
  try {
    return { model: await openModel(choice.model ?? resumed?.model, { cwd }) }
  } catch (error) {
    if (!isHostError(error, 'model.none') || !(await choice.offerDemo(error))) throw error
    return openDemo()
  }
}
