import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createAgent, createQuestionDesk, createSample, followLogins } from '../../agent.ts'
import type {
  Agent,
  AgentModel,
  ApproveSample,
  QuestionDesk,
  QuestionEvent,
  SampleBudget,
} from '../../agent.ts'
import { createHost, isHostError } from '../../index.ts'
import type { DiscoverOptions, Host, HostError, HostOptions, Platform, Sample } from '../../index.ts'
import { believePlatform, readSettings } from '../../internal.ts'
import { openConversationModel } from '../../models.ts'
import { openOwnStore, resumeConversation } from '../../store.ts'
import type { Conversation, OwnStore, Store } from '../../store.ts'
import type { DeskParts, HostDesk } from '../shell/shared-desk.ts'

/** A model and its server for a chat without a key. */
export interface Demo {
  readonly model: AgentModel
  readonly host: Pick<HostOptions, 'servers' | 'memory'>
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
  readonly callbacks: (parts: CallbackParts) => Partial<HostOptions>
  readonly closeOnEnd: (thing: { close(): Promise<void> }) => void
  readonly onQuestion: (event: QuestionEvent) => void
  /** Called if a server's request to the model is rejected without asking. */
  readonly onRejected: (rejected: { readonly server: string; readonly reason: string }) => void
}

/** What the callbacks of a host are made of. */
export interface CallbackParts {
  readonly host: () => Host | undefined
  /** Questions also wait in the store, with the conversation, so that another terminal can answer. */
  readonly desk: (parts: DeskParts) => HostDesk
  /** Servers may use the model in hand, within a budget. */
  readonly sample: (approve: ApproveSample) => Sample
}

export interface OpenedAgent {
  readonly host: Host
  readonly agent: Agent
  readonly isDemo: boolean
  /** Whether the store has the conversation now, so that it can go on later. */
  isKept(this: void): Promise<boolean>
  /** The folder of the conversation. */
  readonly cwd: string
  readonly resumed?: Conversation
  /** What a person should know about the start, one sentence each. */
  readonly notes: readonly string[]
}

/**
 * Opens the model, the store, the conversation and the host of its folder. Without a model nothing is created; a conversation
 * that goes on is read before, because it names its model. The demo keeps nothing.
 */
export async function openAgent(choice: AgentChoice): Promise<OpenedAgent> {
  let host: Host | undefined
  const here = resolve(choice.discover.cwd ?? '.')
  const early = choice.resume === undefined ? await chooseModel(choice, undefined, here) : undefined
  const own: OwnStore = early?.demo
    ? { problems: [] }
    : await openOwnStore({ ...choice.discover, cwd: here, redact: (text) => host?.redact(text) ?? text })
  const { store, problems } = own
  let agent: Agent | undefined
  let desk: QuestionDesk | undefined
  choice.closeOnEnd({
    // Questions that can wait are left to the next chat before the host ends their calls; the store closes last.
    async close() {
      await desk?.close()
      await agent?.close()
      await store?.close()
    },
  })
  const resumed =
    choice.resume === undefined ? undefined : await resumeConversation(own, { id: choice.resume, cwd: here })
  const cwd = resumed?.cwd ?? here
  const { model, demo, problem } = early ?? (await chooseModel(choice, resumed, cwd))
  const budget = await readBudget({ ...choice.discover.platform, cwd })
  host = await createHost({
    ...choice.discover,
    cwd,
    asks: 'writes',
    scanResults: true,
    ...(!demo && { audit: { surface: 'chat' }, accept: 'person' }),
    ...(store && { memory: store.memory }),
    ...demo?.host,
    ...choice.callbacks({
      host: () => host,
      desk: (parts) =>
        (desk = createQuestionDesk({
          ...parts,
          ...(store && !demo && { questions: store.questions }),
          conversation: () => (store && !demo ? agent?.conversation.id : undefined),
          on: choice.onQuestion,
        })),
      sample: (approve) =>
        createSample({
          model: () => agent?.model ?? model,
          approve,
          budget,
          onUsed: ({ usage }) => agent?.count(usage),
          onRejected: choice.onRejected,
        }),
    }),
  })
  choice.closeOnEnd(host)
  if (desk) followLogins(host, desk)
  const agentName = choice.agent ?? resumed?.agent
  agent = await createAgent({
    host,
    model,
    cwd,
    ...(agentName !== undefined && { agent: agentName }),
    ...(store && !demo && { store }),
    ...(resumed && { conversation: resumed.id }),
  })
  const opened = agent
  return {
    host,
    agent,
    cwd,
    isDemo: demo !== undefined,
    isKept: async () => store !== undefined && !demo && (await isStored(store, opened.conversation.id)),
    ...(resumed && { resumed }),
    notes: [
      ...problems.map(({ message, hint }) => (hint === undefined ? message : `${message} ${hint}`)),
      ...(cwd === here
        ? []
        : [`This conversation belongs to ${cwd}: its servers, trust and files are used.`]),
      ...(problem === undefined ? [] : [problem]),
    ],
  }
}

/** A store that does not answer in time has it, as far as is known. */
async function isStored({ conversations }: Pick<Store, 'conversations'>, id: string): Promise<boolean> {
  const over = new AbortController()
  const late = setTimeout(storeMs, true, { signal: over.signal, ref: false }).catch(() => true)
  const found = conversations.get(id).then(
    (conversation) => conversation !== undefined,
    () => false,
  )
  const isFound = await Promise.race([found, late])
  over.abort()
  return isFound
}

const storeMs = 1000

async function readBudget(given: Partial<Platform>): Promise<Partial<SampleBudget>> {
  const { platform } = await believePlatform(given)
  return (await readSettings(platform)).settings.sampling ?? {}
}

async function chooseModel(
  choice: AgentChoice,
  resumed: Conversation | undefined,
  cwd: string,
): Promise<{ readonly model: AgentModel; readonly demo?: Demo; readonly problem?: string }> {
  const openDemo = async () => {
    const demo = await choice.openDemo()
    return { model: demo.model, demo }
  }
  if (choice.isDemo) return openDemo()
  try {
    const { model: given, agent } = choice
    return await openConversationModel({
      cwd,
      discover: choice.discover,
      given,
      agent,
      before: resumed?.model,
    })
  } catch (error) {
    if (!isHostError(error, 'model.none') || !(await choice.offerDemo(error))) throw error
    return openDemo()
  }
}

/** Masks what the host and the endpoint of the model know as secrets. */
export function maskSecrets({ host, agent }: Pick<OpenedAgent, 'host' | 'agent'>, text: string): string {
  return host.redact(agent.model.redact?.(text) ?? text)
}
