import { randomUUID } from 'node:crypto'
import { HostError } from '../model/error.ts'
import { maskTexts } from '../model/mask-texts.ts'
import type { Mask } from '../model/mask-texts.ts'
import { nodePlatform } from '../index.ts'
import type { Platform, ServerInstructions, View } from '../index.ts'
import type { Conversation, StoredMessage } from '../store.ts'
import type { Usage } from './agent-events.ts'
import type { Agent, AgentModel, AgentOptions, Prompt, Turn } from './agent-options.ts'
import { BackgroundTasks } from './background-tasks.ts'
import { checkAgentOptions } from './check-agent-options.ts'
import { ConversationLog } from './conversation-log.ts'
import { toAgentModel } from './known-model.ts'
import { ModelWindow } from './model-window.ts'
import { DefinitionSource } from './offered-definitions.ts'
import { checkPrompt, isPrompt, titleOf } from './turn-prompts.ts'
import { ResultReferences } from './result-references.ts'
import { createSystemPrompt } from './system-prompt.ts'
import { TurnEvents } from './turn-events.ts'
import { defaultLimits } from './turn-limits.ts'
import { TurnLoop, windowOf } from './turn-loop.ts'
import type { TurnContext } from './turn-loop.ts'
import { addUsage, noUsage } from './turn-usage.ts'

/**
 * Creates an agent: a model that uses the tools of a host, in a conversation that is new or goes on.
 *
 * @example
 * await using agent = await createAgent({ host, model: openai('gpt-5') })
 * const { text } = await agent.send('Which issues are open?').finished
 */
export async function createAgent(options: AgentOptions): Promise<Agent> {
  checkAgentOptions(options)
  const model = toAgentModel(options.model)
  const platform = nodePlatform(options.platform)
  const { conversation, isNew } = await openConversation(options, model, platform)
  const messages = isNew ? [] : ((await options.store?.conversations.messages(conversation.id)) ?? [])
  const log = new ConversationLog({
    id: conversation.id,
    clock: platform.clock,
    conversations: options.store?.conversations,
    messages,
    mask: (text) => agent.mask(text),
  })
  const agent = new ConversationAgent({ options, platform, conversation, isNew, model, log })
  try {
    await agent.open()
  } catch (error) {
    await agent.close()
    throw error
  }
  return agent
}

interface AgentParts {
  readonly options: AgentOptions
  readonly platform: Platform
  readonly conversation: Conversation
  readonly isNew: boolean
  readonly model: ReturnType<typeof toAgentModel>
  readonly log: ConversationLog
}

class ConversationAgent implements Agent {
  readonly #parts: AgentParts
  #conversation: Conversation
  #model: ReturnType<typeof toAgentModel>
  #context: TurnContext | undefined
  #scope: (View & Disposable) | undefined
  #running: Promise<unknown> | undefined
  #loop: TurnLoop | undefined
  readonly #closing = new AbortController()
  readonly #background = new BackgroundTasks()
  #usage: Usage = noUsage
  #isClosed = false

  constructor(parts: AgentParts) {
    this.#parts = parts
    this.#conversation = parts.conversation
    this.#model = parts.model
  }

  get conversation(): Conversation {
    return { ...this.#conversation, length: this.#parts.log.length }
  }

  get model(): AgentModel {
    return this.#model
  }

  /** Opens the view of this conversation, and everything that depends on it and on the model. */
  async open(): Promise<void> {
    const { options, platform, log } = this.#parts
    const { id, agent, cwd } = this.#conversation
    const narrow = {
      conversation: id,
      cwd,
      ...(agent !== undefined && { agent }),
      ...(options.asks !== 'rules' && { asks: 'writes' as const }),
    }
    const [view, prompt, { runModelStep, jsonSchema }] = await Promise.all([
      options.host.scope(narrow),
      agent === undefined ? undefined : promptOf(agent, options),
      import('./model-step.ts'),
    ])
    this.#scope?.[Symbol.dispose]()
    this.#scope = view
    const limits = { ...defaultLimits, ...options.limits }
    const { provider } = this.#model
    this.#context = {
      conversation: id,
      agent,
      model: this.#model,
      view,
      log,
      window: new ModelWindow(() => log.messages),
      definitions: new DefinitionSource({
        view,
        provider,
        window: windowOf(this.#model),
        limits,
        jsonSchema,
      }),
      background: this.#background,
      references: new ResultReferences(platform.files, () => log.messages),
      limits,
      notices: noticesOf(options, this.#model),
      isContinued: this.#context !== undefined,
      outputSchema: options.outputSchema,
      history: this.#maskedHistory(),
      clock: platform.clock,
      runModelStep,
      systemPrompt: () =>
        createSystemPrompt({
          cwd,
          agent: prompt,
          system: options.system,
          instructions: instructionsFor(view),
          outputSchema: options.outputSchema,
        }),
    }
  }

  /** Masks what the host and the model know as secrets; a store or a listener may know neither. */
  mask(text: string): string {
    return this.#parts.options.host.redact(this.#model.redact?.(text) ?? text)
  }

  #maskedHistory(): TurnContext['history'] {
    const calls = this.#parts.options.store?.calls
    const mask = (text: string) => this.mask(text)
    return (
      calls && {
        begin: (call) => calls.begin?.({ ...call, args: maskTexts(call.args, mask) }),
        record: (call) =>
          calls.record({
            ...call,
            // A part of it is chosen by the model.
            id: mask(call.id),
            args: maskTexts(call.args, mask),
            result: mask(call.result),
            ...(call.raw !== undefined && { raw: maskTexts(call.raw, mask, true) }),
            ...(call.error && { error: { ...call.error, message: mask(call.error.message) } }),
          }),
      }
    )
  }

  send(prompt: Prompt, { signal }: { readonly signal?: AbortSignal } = {}): Turn {
    const context = this.#idle('send')
    checkPrompt(prompt)
    const { options, platform, log } = this.#parts
    const events = new TurnEvents({
      redact: (text) => this.mask(text),
      now: () => platform.clock.now(),
      on: options.on,
    })
    const { signal: closing } = this.#closing
    const stop = signal ? AbortSignal.any([signal, closing]) : closing
    const loop = new TurnLoop(context, stop, (event) => events.emit(event))
    this.#loop = loop
    const isFirst = log.length === 0
    const turn = loop.run(prompt).then(async (finished) => {
      this.#usage = addUsage(this.#usage, finished.usage)
      this.#running = undefined
      this.#loop = undefined
      if (isFirst) await this.#entitle()
      events.emit(finished)
    })
    this.#running = turn
    return events
  }

  async switchServer(server: string, on: boolean): Promise<{ readonly tokens: number }> {
    const { view, definitions } = this.#opened()
    // What other programs have switched meanwhile is not counted.
    await view.recall().catch(() => undefined)
    const before = definitions.current().tokens
    await this.#parts.options.host.switchServer(this.#conversation.id, server, on)
    await view.ready({ slow: 'skip' })
    return { tokens: before - definitions.current().tokens }
  }

  async use({ agent, model }: Parameters<Agent['use']>[0]): Promise<void> {
    this.#idle('use')
    const earlier = { conversation: this.#conversation, model: this.#model }
    if (model) this.#model = toAgentModel(model)
    const { agent: _, ...rest } = this.#conversation
    const chosen = agent === undefined ? this.#conversation.agent : (agent ?? undefined)
    this.#conversation = { ...rest, model: this.#model.name, ...(chosen !== undefined && { agent: chosen }) }
    try {
      await this.open()
    } catch (error) {
      // An unknown agent changes nothing.
      this.#conversation = earlier.conversation
      this.#model = earlier.model
      throw error
    }
    await this.#parts.options.store?.conversations.change(this.#conversation.id, {
      ...(agent !== undefined && { agent }),
      model: this.#model.name,
    })
  }

  async undo(): Promise<number> {
    const { window, references } = this.#idle('undo')
    const { log } = this.#parts
    const at = log.messages.findLastIndex(isPrompt)
    const removed = at < 0 ? 0 : log.length - at
    if (removed > 0) await log.truncate(at)
    window.reset()
    references.reset()
    return removed
  }

  messages() {
    return this.#parts.log.messages.map((message) => maskedMessage(message, (text) => this.mask(text)))
  }

  usage(): Usage {
    return this.#usage
  }

  count(usage: Usage): void {
    if (this.#loop) this.#loop.count(usage)
    else this.#usage = addUsage(this.#usage, usage)
  }

  tools() {
    const { count, tokens, mode } = this.#opened().definitions.current()
    return { count, tokens, mode }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#closing.abort()
    await this.#running
    const { log, options, isNew } = this.#parts
    await log.flush()
    await options.store?.calls?.flush()
    this.#scope?.[Symbol.dispose]()
    // A conversation in which nothing was said is not kept.
    if (isNew && log.length === 0)
      await options.store?.conversations.remove(this.#conversation.id).catch(() => undefined)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #opened(): TurnContext {
    if (this.#isClosed || !this.#context) throw new HostError('usage', {}, 'The agent is closed.')
    return this.#context
  }

  #idle(method: string): TurnContext {
    const context = this.#opened()
    if (this.#running)
      throw new HostError('usage', {}, `A turn is running; ${method}() is possible when it has finished.`)
    return context
  }

  async #entitle(): Promise<void> {
    const { log, options } = this.#parts
    const [first] = log.messages
    const title = first ? this.mask(titleOf(first)) : ''
    if (title === '' || this.#conversation.title !== '') return
    this.#conversation = { ...this.#conversation, title }
    // Not waited for: a store that is away is reported by the messages.
    void options.store?.conversations.change(this.#conversation.id, { title }).catch(() => undefined)
  }
}

/** Masks when it is read: a chat that goes on shows the last of thousands. */
function maskedMessage({ content, ...message }: StoredMessage, mask: Mask): StoredMessage {
  return {
    ...message,
    get content() {
      return maskTexts(content, mask, true)
    },
  }
}

async function openConversation(
  { conversation: id, store, cwd, agent }: AgentOptions,
  model: AgentModel,
  platform: Platform,
): Promise<{ readonly conversation: Conversation; readonly isNew: boolean }> {
  const chosen = { model: model.name, ...(agent !== undefined && { agent }) }
  if (id === undefined) {
    const wanted = { cwd: cwd ?? platform.cwd, ...chosen }
    const conversation = store ? await store.conversations.create(wanted) : inMemory(wanted, platform)
    return { conversation, isNew: true }
  }
  const found = await store?.conversations.get(id)
  if (!store || !found)
    throw new HostError('store.unknown', { conversation: id }, `There is no conversation ${id}.`)
  if (found.model !== model.name || (agent !== undefined && found.agent !== agent))
    await store.conversations.change(id, chosen)
  return { conversation: { ...found, ...chosen }, isNew: false }
}

/** Said with the first turn. */
function noticesOf({ limits }: AgentOptions, { name, price }: AgentModel): string[] {
  if (limits?.cost === undefined || price) return []
  return [`The price of ${name} is not known, so the limit of the cost does not apply.`]
}

function inMemory(wanted: Pick<Conversation, 'cwd' | 'agent' | 'model'>, { clock }: Platform): Conversation {
  const at = new Date(clock.now()).toISOString()
  return { ...wanted, id: randomUUID(), title: '', createdAt: at, updatedAt: at, length: 0 }
}

/** The prompt of an agent's file; the view of the agent already threw if there is no such agent. */
async function promptOf(agent: string, { host }: AgentOptions): Promise<string | undefined> {
  return (await host.agents()).find(({ name }) => name === agent)?.prompt
}

/** The instructions of the servers whose tools or resources the model can use; a view has those of prompts too. */
function instructionsFor(view: View): readonly ServerInstructions[] {
  const tools = view.tools()
  const used = new Set(tools.map(({ server }) => server))
  // The tools that read resources belong to no server.
  if (used.has('')) for (const { server } of view.resources()) used.add(server)
  return view.instructions().filter(({ server }) => used.has(server))
}
