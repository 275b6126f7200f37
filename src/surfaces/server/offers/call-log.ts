import { randomUUID } from 'node:crypto'
import { HostError, toRef } from '../../../index.ts'
import type { CallResult, HostEvent, Json, JsonObject, Progress, Tool, View } from '../../../index.ts'
import type { BegunCall, CallHistory, StoredCall } from '../../../store.ts'
import type { ConversationRow } from '../../api/chat-routes.ts'
import type { QuestionFacts } from '../../api/question-routes.ts'
import type { CallDetail, CallRow } from '../../api/tool-routes.ts'
import { commandOfCall } from '../../facts/call-command.ts'
import {
  callStateOf,
  decisionText,
  drawnState,
  nextAfterCall,
  outcomeOfError,
  partsOfRef,
  toFault,
} from '../../facts/call-facts.ts'
import { bytesOf, clean, toResultFacts } from '../../facts/result-facts.ts'
import type { ServeContext } from '../serve-context.ts'
import {
  dropContents,
  endWait,
  followAbort,
  isAbout,
  isRunning,
  shownArgs,
  timesOf,
  unknownCall,
  withoutData,
  withoutTime,
} from './live-call.ts'
import type { LiveCall } from './live-call.ts'
import type { Refusal } from '../talk/serve-desk.ts'

const maxRunning = 100
const maxEnded = 300
/** Results and arguments in memory, in characters; older ones are let go, and the store has their beginning. */
const maxKeptChars = 48_000_000
const maxProgress = 200
const maxStderr = 100
const maxNotes = 20
const maxStored = 8000
const maxTitles = 1000
/** Rows of a call that reports progress are published at most this often. */
const progressMs = 100

/** The calls of the page and of the chats of this process. Calls go on when the page that started them is gone. */
export class CallLog {
  readonly #context: ServeContext
  readonly #calls = new Map<string, LiveCall>()
  readonly #published = new Map<string, number>()
  readonly #titles = new Map<string, string>()
  /** Calls whose progress is published in a moment. */
  readonly #waiting = new Set<string>()

  constructor(context: ServeContext) {
    this.#context = context
  }

  /** Starts a call of the page. */
  start({
    ref,
    args,
    timeoutMs,
  }: {
    readonly ref: string
    readonly args: Json
    readonly timeoutMs?: number
  }): CallRow {
    if (this.running().length >= maxRunning)
      throw new HostError(
        'call.busy',
        { server: partsOfRef(ref).server },
        `${maxRunning} calls are running.`,
        {
          hint: 'Wait for one of them, or stop one.',
        },
      )
    this.#context.desk.beginAction()
    const stop = new AbortController()
    const call = this.#add({ id: randomUUID(), by: 'page', ref, args }, stop)
    const unfollow = followAbort(this.#context.signal, stop)
    void this.#run(call, stop.signal, timeoutMs).finally(unfollow)
    return this.#publish(call)
  }

  /** A call of the app of this tool, by no action of a person; `name` is the server's own. */
  async runForApp({
    app,
    name,
    args,
    view,
    conversation,
    signal,
  }: {
    readonly app: Pick<Tool, 'ref' | 'server'>
    readonly name: string
    readonly args: JsonObject
    readonly view: Pick<View, 'call'>
    readonly conversation: string | undefined
    readonly signal: AbortSignal
  }): Promise<CallResult> {
    const maker = { by: 'app' as const, app: app.ref, ...(conversation !== undefined && { conversation }) }
    const stop = new AbortController()
    const unfollow = followAbort(signal, stop)
    const call = this.#add({ id: randomUUID(), ...maker, ref: toRef(app.server, name), args }, stop)
    call.decision = `A call of the app of ${app.ref}, by the rules for any call.`
    this.#publish(call)
    await this.#settle(call, () =>
      view.call(name, args, {
        app: app.ref,
        signal: stop.signal,
        onProgress: (progress) => this.#progressed(call, progress),
      }),
    ).finally(unfollow)
    if (call.result) return call.result
    const { code = 'error', message = '' } = call.error ?? {}
    return {
      text: message,
      blocks: [],
      failed: true,
      rpcError: { code: -32000, message: `${message} (${code})` },
      ref: call.ref,
      ms: 0,
    }
  }

  get(id: string): LiveCall | undefined {
    return this.#calls.get(id)
  }

  /** The newest first. */
  running(): readonly LiveCall[] {
    return [...this.#calls.values()].filter(isRunning).toReversed()
  }

  ended(): readonly LiveCall[] {
    return [...this.#calls.values()].filter((call) => !isRunning(call)).toReversed()
  }

  stop(id: string): CallRow {
    const call = this.#calls.get(id)
    if (!call) throw unknownCall(id)
    if (isRunning(call) && !call.stop)
      throw new HostError('usage', {}, 'The call belongs to a conversation.', { hint: 'Stop its turn.' })
    call.stop?.abort()
    return this.rowOf(call)
  }

  rowOf(call: LiveCall): CallRow {
    const {
      id,
      ref,
      by,
      app,
      conversation,
      state,
      startedAt,
      ms,
      waitedMs,
      bytes,
      question,
      progress,
      error,
    } = call
    const title = conversation === undefined ? undefined : this.#titles.get(conversation)
    const last = isRunning(call) ? progress.at(-1) : undefined
    return {
      id,
      ...partsOfRef(ref),
      by,
      ...(app !== undefined && { app }),
      ...(conversation !== undefined && { conversation }),
      ...(title && { conversationTitle: title }),
      state,
      ...drawnState(state, error),
      at: startedAt,
      ...(ms !== undefined && { ms }),
      ...(waitedMs !== undefined && { waitedMs }),
      ...(bytes !== undefined && { bytes }),
      ...(question !== undefined && { question }),
      ...(last && { progress: withoutTime(last) }),
    }
  }

  /** Everything but the wire messages. */
  detailOf(call: LiveCall): Omit<CallDetail, 'wire'> {
    const { args, ref, result, error, progress, stderr, notes, decision } = call
    const row = this.rowOf(call)
    const command = commandOfCall(ref, args)
    return {
      call: row,
      args: shownArgs(args),
      ...(result && { result: toResultFacts(result) }),
      ...(error && { error }),
      next: nextAfterCall(row, command, error),
      progress: [...progress],
      stderr: [...stderr],
      ...(notes.length > 0 && { notes: [...notes] }),
      decision,
      command,
      ...this.#appOf(call),
    }
  }

  /** The app that can show the call: its result is kept as it came. */
  #appOf({ ref, result }: LiveCall): Pick<CallDetail, 'app'> {
    const { host, frames } = this.#context
    const isShown = result?.raw !== undefined
    const app = frames && isShown ? host.tools().find((each) => each.ref === ref)?.app : undefined
    return app === undefined ? {} : { app }
  }

  /** A history for agents, whose calls appear here from their start on; also where there is no store. */
  historyFor(kept?: Pick<CallHistory, 'record' | 'flush'>): Pick<CallHistory, 'begin' | 'record' | 'flush'> {
    return {
      begin: (call) => void this.#publish(this.#add(call)),
      record: (call) => {
        this.#finishStored(call)
        const live = this.#calls.get(call.id)
        kept?.record(live ? { ...call, ...timesOf(live) } : call)
      },
      flush: async () => kept?.flush(),
    }
  }

  /** What servers write while a call runs belongs to it. */
  onEvent(event: HostEvent): void {
    if (event.type !== 'server.said') return
    for (const call of this.#calls.values()) {
      if (!isRunning(call) || partsOfRef(call.ref).server !== event.server) continue
      call.stderr.push(clean(event.line))
      if (call.stderr.length > maxStderr) call.stderr.shift()
    }
  }

  /** Belongs to every call that the server works on: a request of a server names none. */
  onRefusal({ server, message }: Refusal): void {
    for (const call of this.running())
      if (partsOfRef(call.ref).server === server && call.notes.length < maxNotes)
        call.notes.push(clean(message))
  }

  /** The titles of conversations, for the rows of their calls. */
  onConversation({ id, title }: Pick<ConversationRow, 'id' | 'title'>): void {
    if (this.#titles.size > maxTitles) this.#titles.clear()
    this.#titles.set(id, title)
  }

  /** A call that waits for an answer says so, and goes on when it is given. */
  onQuestion(question: QuestionFacts): void {
    const { id, isWaiting, asked } = question
    const held = [...this.#calls.values()].find(({ question }) => question === id)
    if (held && !isWaiting) {
      this.onAnswered(id)
      delete held.question
      if (held.state === 'waits') held.state = 'running'
      this.#publish(held)
    }
    if (held || !isWaiting) return
    const about = this.running().filter((call) => call.state === 'running' && isAbout(call, question))
    // A question of a server names no call: it is clear only while there is one.
    const call = asked.kind === 'approval' ? about.at(-1) : about.length === 1 ? about[0] : undefined
    if (!call) return
    call.state = 'waits'
    call.question = id
    call.waitsSince = performance.now()
    this.#publish(call)
  }

  /** A question has its answer: the call goes on, although it is published a little later. */
  onAnswered(id: string): void {
    const call = [...this.#calls.values()].find(({ question }) => question === id)
    if (call) endWait(call)
  }

  #add(call: BegunCall & Pick<StoredCall, 'app'>, stop?: AbortController): LiveCall {
    const { id, ref, args, conversation, by, app } = call
    const added: LiveCall = {
      id,
      ref,
      by: by === 'page' || by === 'app' ? by : 'chat',
      ...(app !== undefined && { app }),
      ...(conversation !== undefined && { conversation }),
      args,
      startedAt: Date.now(),
      began: performance.now(),
      progress: [],
      stderr: [],
      notes: [],
      ...(stop && { stop }),
      decision: '',
      state: 'running',
    }
    this.#calls.set(id, added)
    this.#describeDecision(added)
    return added
  }

  #describeDecision(call: LiveCall): void {
    try {
      call.decision = decisionText(
        this.#context.host.why(call.ref, call.by === 'chat' ? { asks: 'writes' } : {}),
      )
    } catch {
      call.decision = 'The tool was not known when the call began.'
    }
  }

  async #run(call: LiveCall, signal: AbortSignal, timeoutMs: number | undefined): Promise<void> {
    const { host } = this.#context
    await this.#settle(call, async () => {
      await host.ready({ tool: call.ref, signal })
      this.#describeDecision(call)
      return host.call(call.ref, call.args, {
        signal,
        isWhole: true,
        ...(timeoutMs !== undefined && { timeoutMs }),
        onProgress: (progress) => this.#progressed(call, progress),
      })
    })
  }

  /** Runs a call to its end, and keeps how it ended. */
  async #settle(call: LiveCall, run: () => Promise<CallResult>): Promise<void> {
    try {
      const result = await run()
      call.result = result
      if (result.editedArgs) call.args = result.editedArgs
      this.#finish(call, result.failed ? 'failed' : 'done', bytesOf(result))
    } catch (error) {
      call.error = toFault(error)
      const outcome = outcomeOfError(call.error)
      this.#finish(call, callStateOf(outcome, call.error))
    }
    // The call stays in memory if the store cannot keep it.
    await this.#record(call).catch(() => undefined)
  }

  #progressed(call: LiveCall, { progress, total, message }: Progress): void {
    const now = Date.now()
    call.progress.push({
      at: now,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message: clean(message) }),
    })
    // The first one stays: it shows when the work began.
    if (call.progress.length > maxProgress) call.progress.splice(1, 1)
    this.#publishSoon(call)
  }

  #publishSoon(call: LiveCall): void {
    if (this.#waiting.has(call.id)) return
    const waitMs = Math.max(0, (this.#published.get(call.id) ?? -Infinity) + progressMs - performance.now())
    const timer = setTimeout(() => {
      this.#waiting.delete(call.id)
      if (isRunning(call)) this.#publish(call)
    }, waitMs)
    timer.unref()
    this.#waiting.add(call.id)
  }

  #finish(call: LiveCall, state: CallRow['state'], bytes?: number): void {
    call.state = state
    endWait(call)
    // A question that could be of several calls was counted for none.
    const { waitedMs = call.result?.waitedMs } = call
    if (waitedMs !== undefined) call.waitedMs = Math.round(waitedMs)
    call.ms = Math.max(0, Math.round(performance.now() - call.began - (call.waitedMs ?? 0)))
    if (bytes !== undefined) call.bytes = bytes
    delete call.question
    this.#publish(call)
    this.#published.delete(call.id)
    this.#letGo()
  }

  /** The end of a model's call, whose result the conversation has. */
  #finishStored(ended: Parameters<CallHistory['record']>[0]): void {
    const { id, outcome, result, raw, bytes, error, ref, ms, waitedMs } = ended
    const call = this.#calls.get(id)
    if (!call) return
    if (error) call.error = error
    call.result = {
      text: result,
      blocks: [{ type: 'text', text: result }],
      failed: outcome !== 'done',
      ...(raw !== undefined && { raw }),
      ref,
      ms,
      ...(waitedMs !== undefined && { waitedMs }),
    }
    this.#finish(call, callStateOf(outcome, error), bytes)
  }

  async #record(call: LiveCall): Promise<void> {
    const { id, by, app, conversation, ref, args, result, error, bytes = 0 } = call
    // A store that cannot be opened is said elsewhere; the call stays in memory.
    const opened = await this.#context.store().catch(() => undefined)
    opened?.store?.calls.record({
      id,
      by,
      ...(app !== undefined && { app }),
      ...(conversation !== undefined && { conversation }),
      ref,
      args,
      outcome: error ? outcomeOfError(error) : result?.failed ? 'failed' : 'done',
      result: (result?.text ?? error?.message ?? '').slice(0, maxStored),
      ...(result?.raw !== undefined && this.#appOf(call).app !== undefined && { raw: result.raw }),
      ...timesOf(call),
      bytes,
      ...(error && { error: withoutData(error) }),
    })
  }

  #publish(call: LiveCall): CallRow {
    const row = this.rowOf(call)
    this.#published.set(call.id, performance.now())
    this.#context.feed.publish({ type: 'call.changed', call: row })
    return row
  }

  /** Drops the oldest results and arguments, then the oldest calls. */
  #letGo(): void {
    const ended = this.ended()
    dropContents(ended, maxKeptChars)
    for (const { id } of ended.slice(maxEnded)) this.#calls.delete(id)
  }
}
