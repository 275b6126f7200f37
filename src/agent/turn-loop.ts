import { raceAbort } from '../model/abort.ts'
import { isHostError } from '../model/error.ts'
import type { HostError } from '../model/error.ts'
import type { Clock, Json, JsonObject, View } from '../index.ts'
import type { CallHistory } from '../store.ts'
import type { AgentEventBody, CallOutcome, LimitName, TurnFinished, Usage } from './agent-events.ts'
import type { AgentLimits, AgentModel, Prompt } from './agent-options.ts'
import { askModel } from './ask-model.ts'
import type { ModelAnswer } from './ask-model.ts'
import { callsOf } from './conversation-log.ts'
import type { ConversationLog } from './conversation-log.ts'
import { estimateTokens } from '../models/tokens.ts'
import type { ModelMessage, runModelStep } from './model-step.ts'
import type { ModelWindow } from './model-window.ts'
import type { Definitions, DefinitionSource } from './offered-definitions.ts'
import { readOutputValue } from './output-value.ts'
import { toFollowUp, toPromptMessage } from './turn-prompts.ts'
import type { ResultReferences } from './result-references.ts'
import { cancelCalls, notRun, runCalls } from './run-calls.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import { SameCalls } from './same-calls.ts'
import { describeLimit, reachedLimit } from './turn-limits.ts'
import { addUsage, noUsage, toUsage } from './turn-usage.ts'

/** Everything a turn works with; the same for all turns of an agent, except after `use`. */
export interface TurnContext {
  readonly conversation: string
  readonly agent?: string | undefined
  readonly model: AgentModel
  readonly view: View
  readonly log: ConversationLog
  readonly window: ModelWindow
  readonly definitions: DefinitionSource
  readonly references: ResultReferences
  /** Tasks that run beside the conversation. */
  readonly background: BackgroundTasks
  readonly limits: AgentLimits
  readonly outputSchema?: JsonObject | undefined
  readonly history?: Pick<CallHistory, 'record' | 'begin'> | undefined
  readonly clock: Clock
  readonly runModelStep: typeof runModelStep
  /** The system prompt for the tools that are visible now. */
  readonly systemPrompt: () => string
  /** Said once, when the next turn begins. */
  readonly notices: string[]
  /** The agent or the model was changed: what the provider has in its cache holds no longer. */
  readonly isContinued: boolean
  /** Kept between turns: changes only when the definitions do. */
  prompt?: string
}

/** One turn, from a prompt to the answer that needs no more calls. */
export class TurnLoop {
  readonly #context: TurnContext
  readonly #signal: AbortSignal
  readonly #emit: (event: AgentEventBody) => void
  readonly #sameCalls: SameCalls
  readonly #startedAt: number
  #usage: Usage = noUsage
  #steps = 0
  #text = ''
  #repairs = 1
  #saysUnkept = true
  /** The time of the turn was over while calls ran. */
  #isLate = false
  /** How the calls of the last step that had any ended. */
  #lastOutcomes: readonly CallOutcome[] = []

  constructor(context: TurnContext, signal: AbortSignal, emit: (event: AgentEventBody) => void) {
    this.#context = context
    this.#signal = signal
    this.#emit = emit
    this.#sameCalls = new SameCalls(context.limits)
    this.#startedAt = context.clock.monotonic()
  }

  /** Adds what was used beside the steps, so that the limits of the turn hold for it too. */
  count(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage)
  }

  /** Never rejects. Whatever happens, every call in the conversation has a result afterwards. */
  async run(prompt: Prompt): Promise<TurnFinished> {
    try {
      const finished = (await this.#begin(prompt)) ?? (await this.#takeSteps())
      return (await this.#storeProblem()) ?? finished
    } catch (error) {
      this.#answerCalls('The turn ended before this call had a result. It may have run.')
      return this.#failed(error)
    }
  }

  /** Gives the calls of the last message a result, if they have none. */
  #answerCalls(text: string): void {
    const { log } = this.#context
    const unanswered = callsOf(log.messages.at(-1))
    if (unanswered.length > 0) log.append({ role: 'tool', content: cancelCalls(unanswered, text) })
  }

  async #begin(prompt: Prompt): Promise<TurnFinished | undefined> {
    const { conversation, agent, model, view } = this.#context
    this.#emit({
      type: 'turn.started',
      conversation,
      model: model.name,
      ...(agent !== undefined && { agent }),
    })
    for (const message of this.#context.notices.splice(0)) this.#emit({ type: 'notice', message })
    // A key that is looked up by a command or a keychain may take long.
    if (model.prepare) await raceAbort(model.prepare(), this.#signal)
    const [problem] = await Promise.all([
      this.#appendPrompt(prompt),
      view.ready({ slow: 'skip', signal: this.#signal }),
    ])
    return problem
  }

  /** If another program has added to the conversation, the prompt follows what is there now: nothing was done yet. */
  async #appendPrompt(prompt: Prompt): Promise<TurnFinished | undefined> {
    const { log } = this.#context
    for (let attempt = 1; ; attempt++) {
      await this.#continueAfterConflict()
      this.#answerCalls('The program ended before this result was kept. The call may have run.')
      log.append(toPromptMessage(prompt))
      const problem = await this.#storeProblem()
      if (!log.conflict || attempt === maxConflicts) return problem
    }
  }

  async #takeSteps(): Promise<TurnFinished> {
    for (;;) {
      if (this.#signal.aborted) return this.#cancelled()
      const limit = reachedLimit(
        { steps: this.#steps, usage: this.#usage, ms: this.#ms() },
        this.#context.limits,
      )
      if (limit) return this.#limited(limit)
      const finished = await this.#step()
      if (finished) return finished
    }
  }

  async #step(): Promise<TurnFinished | undefined> {
    const { log, model, window } = this.#context
    await this.#recall()
    this.#tellEnds()
    const definitions = this.#offer()
    const system = this.#context.prompt ?? ''
    const besides = definitions.tokens + estimateTokens(system)
    const room = roomFor(model, besides)
    const problem = window.fit(room, this.#emit)
    if (problem) return this.#doesNotFit(problem.needed, room)
    this.#steps++
    this.#emit({ type: 'step.started', step: this.#steps })
    const answer = await this.#ask(definitions, system)
    const usage = this.#usageOf(answer, besides)
    if (answer.usage) window.correct(answer.usage.input, besides)
    this.#usage = addUsage(this.#usage, usage)
    if (answer.content.length > 0) log.append({ role: 'assistant', content: answer.content })
    if (answer.text !== '') this.#text = answer.text
    const ended = this.#endedEarly(answer)
    if (answer.calls.length > 0) {
      if (ended) this.#answerCalls(notRun)
      else await this.#runCalls(answer, definitions)
    }
    this.#emit({ type: 'step.finished', step: this.#steps, finish: answer.finish, usage })
    const finished = ended ?? (answer.calls.length > 0 ? this.#afterCalls() : await this.#answered(answer))
    return (await this.#storeProblem(0)) ?? finished
  }

  /** Tells the model which tasks have ended since its last step. */
  #tellEnds(): void {
    const { background, log } = this.#context
    for (const message of background.take()) log.append(toFollowUp(message))
  }

  /** A model that has nothing else to do waits for its tasks, within the time of the turn. */
  async #untilTaskEnds(): Promise<boolean> {
    const { background, clock, limits } = this.#context
    if (background.isEmpty) return false
    const over = new AbortController()
    const late = clock.sleep(Math.max(1, limits.timeMs - this.#ms()), over.signal).then(
      () => false,
      () => false,
    )
    const ended = background.next().then(() => true)
    const isEnded = await raceAbort(Promise.race([ended, late]), this.#signal).catch(() => false)
    over.abort()
    return isEnded
  }

  /** Switches of other programs count from this step on. A store that is away does not hold up the turn. */
  async #recall(): Promise<void> {
    const { view, clock } = this.#context
    const over = new AbortController()
    const late = clock.sleep(recallMs, over.signal).catch(() => undefined)
    await Promise.race([view.recall().catch(() => undefined), late])
    over.abort()
  }

  /** As the endpoint reports it, else estimated. A request that failed before anything arrived counts nothing. */
  #usageOf({ usage, failure, content }: ModelAnswer, besides: number): Usage {
    const { model, window } = this.#context
    if (usage) return toUsage(usage, noTokens, model)
    if (failure && content.length === 0) return noUsage
    const output = estimateTokens(JSON.stringify(content))
    return toUsage(undefined, { input: window.tokens + besides, output }, model)
  }

  #offer(): Definitions {
    const { definitions: source, window } = this.#context
    const change = source.takeChange()
    const definitions = source.current()
    if (!change) return definitions
    const isFirst = this.#context.prompt === undefined && !this.#context.isContinued
    this.#context.prompt = this.#context.systemPrompt()
    const reread = definitions.tokens + window.tokens + estimateTokens(this.#context.prompt)
    const { count, tokens, mode, reason } = definitions
    this.#emit({
      type: 'tools.offered',
      count,
      tokens,
      mode,
      ...change,
      ...(!isFirst && { reread }),
      ...(reason !== undefined && { reason }),
    })
    return definitions
  }

  #ask(definitions: Definitions, system: string): Promise<ModelAnswer> {
    const { model, limits, clock, window, runModelStep } = this.#context
    const isCached = model.provider === 'anthropic'
    const messages = window.request() as unknown as ModelMessage[] // stored as the AI SDK has them
    const last = messages.at(-1)
    // Anthropic caches up to these marks; the others find the beginning they know by themselves.
    const marked = isCached && last ? [...messages.slice(0, -1), { ...last, ...cacheMark }] : messages
    return askModel({
      model,
      limits,
      clock,
      runModelStep,
      system: { role: 'system', content: system, ...(isCached && cacheMark) },
      messages: marked,
      tools: definitions.tools,
      signal: this.#signal,
      leftMs: () => limits.timeMs - this.#ms(),
      appOf: (name) => {
        const { ref, app } = definitions.byName.get(name)?.tool ?? {}
        return ref === undefined || app === undefined ? undefined : { ref, app }
      },
      emit: this.#emit,
    })
  }

  async #runCalls({ calls }: ModelAnswer, definitions: Definitions): Promise<void> {
    const { view, references, clock, model, log, history, conversation, agent, limits } = this.#context
    const late = new AbortController()
    const timer = clock.timer(Math.max(1, limits.timeMs - this.#ms()), () => late.abort())
    try {
      const answered = await runCalls(calls, {
        view,
        definitions,
        references,
        sameCalls: this.#sameCalls,
        maxResultLength: Math.floor(windowOf(model) * resultShare * charsPerToken),
        clock,
        signal: AbortSignal.any([this.#signal, late.signal]),
        images: model.images === true,
        emit: this.#emit,
        history,
        conversation,
        agent,
        background: this.#context.background,
        taskMs: limits.taskMs,
      })
      this.#lastOutcomes = answered.map(({ outcome }) => outcome)
      log.append({ role: 'tool', content: answered.map(({ part }) => part) })
      this.#isLate = late.signal.aborted
    } finally {
      timer[Symbol.dispose]()
    }
  }

  /** The model did not come to the end of its answer. */
  #endedEarly({ failure, exceeded, finish }: ModelAnswer): TurnFinished | undefined {
    if (this.#signal.aborted) return this.#cancelled()
    if (exceeded) return this.#limited(exceeded)
    if (failure) {
      const { reason, hint, status, code } = failure
      return this.#finish('failed', {
        reason,
        ...(code !== undefined && { code }),
        ...(hint !== undefined && { hint }),
        ...(status !== undefined && { status }),
      })
    }
    return finish === 'abort' ? this.#cancelled() : undefined
  }

  #afterCalls(): TurnFinished | undefined {
    if (this.#signal.aborted) return this.#cancelled()
    if (this.#isLate) return this.#limited('timeMs')
    return this.#sameCalls.isExceeded ? this.#limited('sameCalls') : undefined
  }

  /** An answer without calls ends the turn. */
  async #answered({ finish, text }: ModelAnswer): Promise<TurnFinished | undefined> {
    const { outputSchema, model, log } = this.#context
    if (finish === 'length')
      return this.#finish('limit', {
        limit: 'output',
        reason: `${model.name} ended its answer at its own limit of output.`,
        hint: 'Send a prompt to go on from here.',
      })
    if (finish === 'content-filter')
      return this.#finish('failed', { reason: `The provider of ${model.name} filtered the answer.` })
    if (await this.#untilTaskEnds()) return undefined
    if (this.#signal.aborted) return this.#cancelled()
    if (text === '') this.#emit({ type: 'notice', message: `${model.name} answered without a text.` })
    const isRefused = this.#lastOutcomes.includes('refused') && !this.#lastOutcomes.includes('done')
    if (isRefused) return this.#finish('refused', { reason: 'The calls that the model needed were refused.' })
    if (!outputSchema) return this.#finish('done')
    const output = await readOutputValue(text, outputSchema)
    if ('value' in output) return this.#finish('done', { output: output.value })
    if (this.#repairs-- === 0) return this.#finish('failed', { reason: output.problem })
    log.append(toFollowUp(`${output.problem} Answer again, with the JSON value only.`))
    return undefined
  }

  /** A conversation that another program changed is read again. */
  async #continueAfterConflict(): Promise<void> {
    const { log, window, references } = this.#context
    if (!isHostError(log.conflict, 'store.conflict')) return
    await log.reload()
    window.reset()
    references.reset()
    this.#emit({ type: 'notice', message: 'The conversation was read again, as another program left it.' })
  }

  /** A conflict ends the turn. A store that is away does not: the turn goes on in memory, and says so once. */
  async #storeProblem(waitMs?: number): Promise<TurnFinished | undefined> {
    const { log } = this.#context
    const problem = await log.settle(waitMs)
    if (isHostError(log.conflict, 'store.unknown')) {
      log.detach()
      const message = 'Another program has deleted this conversation. It goes on here, and is not kept.'
      this.#emit({ type: 'notice', message })
      return undefined
    }
    if (log.conflict) return this.#failed(log.conflict)
    if (problem !== undefined && (problem !== 'late' || waitMs !== 0) && this.#saysUnkept) {
      this.#saysUnkept = false
      const why = problem === 'late' ? 'The store does not answer.' : problem.message
      const hint = 'The messages are kept in memory, and written when the store can be used again.'
      this.#emit({ type: 'notice', message: `${why} This turn is not kept yet.`, hint })
    }
    return undefined
  }

  #doesNotFit(needed: number, room: number): TurnFinished {
    const { model, definitions } = this.#context
    return this.#finish('failed', {
      reason: `The prompt has about ${needed} tokens; the window of ${model.name} has room for ${Math.max(0, room)} beside the tools and the instructions.`,
      hint:
        definitions.current().tokens > needed
          ? 'Switch off servers that are not needed here, or choose a model with a larger window.'
          : 'Shorten the prompt, or choose a model with a larger window.',
    })
  }

  #limited(limit: LimitName): TurnFinished {
    return this.#finish('limit', { limit, ...describeLimit(limit, this.#context.limits) })
  }

  #cancelled(): TurnFinished {
    return this.#finish('cancelled', { reason: 'The turn was stopped.' })
  }

  #failed(error: unknown): TurnFinished {
    if (this.#signal.aborted && !isHostError(error, 'store.conflict')) return this.#cancelled()
    if (!isHostError(error)) {
      const reason = error instanceof Error ? error.message : String(error)
      return this.#finish('failed', { reason })
    }
    const { message, hint, code } = error as HostError
    return this.#finish('failed', { reason: message, code, ...(hint !== undefined && { hint }) })
  }

  #finish(
    outcome: TurnFinished['outcome'],
    how: Partial<Pick<TurnFinished, 'reason' | 'hint' | 'limit' | 'status' | 'code'>> & {
      readonly output?: Json
    } = {},
  ): TurnFinished {
    return {
      type: 'turn.finished',
      outcome,
      ...how,
      text: this.#text,
      usage: this.#usage,
      steps: this.#steps,
    }
  }

  #ms(): number {
    return this.#context.clock.monotonic() - this.#startedAt
  }
}

const recallMs = 250

/** How often a prompt is sent again behind what other programs add meanwhile. */
const maxConflicts = 3

const noTokens = { input: 0, output: 0 }

const cacheMark = { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } }

/** One result may fill this share of the window; matters for windows of less than about 60,000 tokens. */
const resultShare = 0.25
const charsPerToken = 3.5

const defaultWindow = 128_000

export function windowOf({ window = defaultWindow }: AgentModel): number {
  return window
}

/** The tokens for messages: without the tools, the instructions, and an answer of usual length. */
function roomFor(model: AgentModel, besides: number): number {
  const window = windowOf(model)
  const answer = Math.min(model.maxOutput ?? 8192, Math.floor(window / 4))
  return window - besides - answer
}
