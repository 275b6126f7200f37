import { randomUUID } from 'node:crypto'
import { callOffered, toAnswer } from '../adapters/model-calls.ts'
import type { Answer } from '../adapters/model-calls.ts'
import { toModelOutput } from '../adapters/model-output.ts'
import { onAbort } from '../model/abort.ts'
import { HostError } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import { untrustedMark } from '../model/finding.ts'
import type { CallResult, Clock, Json, Tool, View } from '../index.ts'
import type { CallHistory } from '../store.ts'
import type { AgentEventBody, CallOutcome } from './agent-events.ts'
import { sayRunning } from './background-tasks.ts'
import type { BackgroundTasks } from './background-tasks.ts'
import type { Definitions } from './offered-definitions.ts'
import type { StepCall } from './model-step.ts'
import { hasReference, ReferenceProblem } from './result-references.ts'
import type { ResultReferences } from './result-references.ts'
import type { SameCalls } from './same-calls.ts'

export interface CallRunner {
  readonly view: View
  readonly definitions: Definitions
  readonly references: ResultReferences
  readonly sameCalls: SameCalls
  readonly maxResultLength: number
  readonly clock: Clock
  readonly signal: AbortSignal
  /** Whether images are parts of a result. */
  readonly images: boolean
  readonly emit: (event: AgentEventBody) => void
  readonly history?: Pick<CallHistory, 'record' | 'begin'> | undefined
  readonly conversation: string
  readonly agent?: string | undefined
  /** Tasks that run beside the conversation, and after how long a call becomes one of them. */
  readonly background: BackgroundTasks
  readonly taskMs: number
}

/** A call with the part of the tool message that answers it. */
export interface AnsweredCall {
  readonly id: string
  readonly outcome: CallOutcome
  readonly part: JsonObject
}

/** More calls than these in one answer of a model are not run. */
const maxCalls = 128

/**
 * Answers every call of a step, in call order: a provider rejects a conversation with an unanswered call. Tools that may
 * run in parallel run at once; any other call waits for all before it, and those after it wait for it.
 */
export async function runCalls(
  calls: readonly StepCall[],
  runner: CallRunner,
): Promise<readonly AnsweredCall[]> {
  const answers: Promise<AnsweredCall>[] = []
  let before: Promise<unknown> = Promise.resolve()
  let running: Promise<unknown>[] = []
  for (const [at, call] of calls.entries()) {
    const isParallel = targetOf(call, runner).tool?.concurrencySafe === true
    if (!isParallel) before = Promise.all(running)
    const answer = before.then(() => runOne(call, runner, at < maxCalls))
    answers.push(answer)
    if (isParallel) running.push(answer)
    else {
      before = answer
      running = [answer]
    }
  }
  return Promise.all(answers)
}

/** The results for calls that do not run, because the turn ends before. */
export function cancelCalls(
  calls: readonly Pick<StepCall, 'id' | 'name'>[],
  text: string,
): readonly JsonObject[] {
  return calls.map(({ id, name }) => ({
    type: 'tool-result',
    toolCallId: id,
    toolName: name,
    output: { type: 'error-text', value: text },
  }))
}

/** The tool that a call means, also through `call_tool`, and its arguments. */
function targetOf(
  { name, input }: Pick<StepCall, 'name' | 'input'>,
  { view, definitions }: Pick<CallRunner, 'view' | 'definitions'>,
): { readonly tool?: Tool; readonly name: string; readonly args: Json } {
  const offered = definitions.byName.get(name)?.tool
  const args = (input ?? null) as Json // parsed from the model's JSON
  if (offered?.server === '' && offered.tool === 'call_tool' && isObject(input)) {
    const target = input['name']
    const inner = typeof target === 'string' ? find(view, target) : undefined
    if (inner) return { tool: inner, name: inner.name, args: input['arguments'] ?? {} }
  }
  const tool = offered ?? find(view, name)
  return { ...(tool && { tool }), name: tool?.name ?? name, args }
}

/** A model may call a tool that was not offered: by its ref, or after a search. */
function find(view: View, nameOrRef: string): Tool | undefined {
  return view.tools().find(({ name, ref }) => name === nameOrRef || ref === nameOrRef)
}

async function runOne(call: StepCall, runner: CallRunner, isWithinLimit: boolean): Promise<AnsweredCall> {
  const { emit, clock, references, sameCalls, images, history, conversation, agent } = runner
  const { tool, name, args } = targetOf(call, runner)
  const ref = tool && tool.server !== '' ? { ref: tool.ref } : {}
  // The model chooses the id of its call, which may hold anything.
  const id = call.call ?? randomUUID()
  const shown = tool?.app === undefined ? {} : { call: id, app: tool.app }
  emit({ type: 'call.started', id: call.id, name, ...ref, ...shown, args })
  const stored = ref.ref !== undefined && {
    id,
    by: 'chat' as const,
    conversation,
    ...(agent !== undefined && { agent }),
    ref: ref.ref,
    args,
  }
  if (stored) history?.begin?.(stored)
  const startedAt = clock.monotonic()
  const answer = isWithinLimit ? await answerOf(call, runner) : tooManyCalls
  // The time that a person took to allow it is not its duration.
  const waitedMs = Math.round(answer.result?.waitedMs ?? 0)
  const waited = waitedMs > 0 && { waitedMs }
  const ms = Math.max(0, Math.round(clock.monotonic() - startedAt) - waitedMs)
  const outcome = outcomeOf(answer)
  const note = sameCalls.note(call, answer.text)
  // The notes are for the model: a person and the history have the result alone.
  const {
    record,
    shown: text,
    note: reference = '',
  } = answer.result && tool
    ? references.add(answer.result, tool, runner.maxResultLength)
    : { record: undefined, shown: answer.text }
  const { editedArgs } = answer.result ?? {}
  const told = `${answer.result ? untrustedMark(answer.result) : ''}${text}${reference}${note}${editNote(editedArgs)}${answer.failed ? nameNote(call) : ''}`
  const { result, error } = answer
  const failure = error && {
    code: error.code,
    message: error.message,
    ...(error.hint !== undefined && { hint: error.hint }),
  }
  emit({
    type: 'call.finished',
    id: call.id,
    name,
    ...ref,
    ...shown,
    outcome,
    text,
    ...(editedArgs && { args: editedArgs }),
    ...(result && { blocks: result.blocks }),
    ...(record && { result: record.id }),
    ...(result?.spilled && { spilled: result.spilled }),
    ms,
    ...waited,
    ...(failure && { error: failure }),
  })
  if (stored)
    history?.record({
      ...stored,
      args: editedArgs ?? args,
      outcome: toStoredOutcome(outcome),
      result: text,
      ...(result?.raw !== undefined && { raw: result.raw }),
      ms,
      ...waited,
      bytes: result?.spilled?.bytes ?? Buffer.byteLength(text),
      ...(failure && { error: failure }),
    })
  const output = toModelOutput(result ? { ...result, text: told } : failedResult(told), images, 'image-data')
  return {
    id: call.id,
    outcome,
    part: {
      type: 'tool-result',
      toolCallId: call.id,
      toolName: call.storedName,
      output,
      // The time, the call and its app are for a person who reads the conversation later.
      ...(record && { providerOptions: { plugboard: { ...record, ...shown, ms } } }),
    },
  }
}

interface CallAnswer extends Answer {
  readonly isCancelled?: boolean
}

export const notRun = 'The turn ended before this call. It did not run.'

const tooManyCalls: CallAnswer = {
  text: `Not run: an answer may have at most ${maxCalls} calls.`,
  failed: true,
}

const tooDeep: CallAnswer = {
  text: 'The arguments are nested too deep. The tool was not called.',
  failed: true,
}

/** A conversation with the name that the model wrote would be rejected. */
function nameNote({ name, storedName }: StepCall): string {
  if (name === storedName) return ''
  return `\n\n[A name has at most 64 characters, only letters, digits, "_" and "-". This call is kept as "${storedName}".]`
}

/** The model wrote other arguments than those that ran, and goes on from the result. */
function editNote(args: JsonObject | undefined): string {
  return args
    ? `\n\n[A person changed the arguments before allowing this call. It ran with: ${JSON.stringify(args)}]`
    : ''
}

async function answerOf(call: StepCall, runner: CallRunner): Promise<CallAnswer> {
  const { view, definitions, references, sameCalls, signal, emit } = runner
  if (signal.aborted) return { text: notRun, failed: true, isCancelled: true }
  if (call.input === undefined)
    return { text: 'The arguments are not JSON. The tool was not called.', failed: true }
  if (call.isTooDeep) return tooDeep
  try {
    const refusal = sameCalls.refusal(call)
    if (refusal !== undefined) return { text: refusal, failed: true }
    const input = hasReference(call.input) ? await references.resolve(call.input) : call.input
    const offered = definitions.byName.get(call.name)
    const control = new CallControl(signal)
    const options = {
      signal: control.signal,
      released: control.released,
      onTask: (id: string) => control.onTask(id),
      onProgress: (
        progress: Parameters<NonNullable<Parameters<View['call']>[2]>['onProgress'] & object>[0],
      ) => emit({ type: 'call.progressed', id: call.id, ...progress }),
    }
    const result = offered
      ? callOffered(view, offered, input, options)
      : view.call(call.name, input as Json, { ...options, isSerial: true }) // a value that is not JSON fails the check
    return await answerInTime(call, result, control, runner)
  } catch (error) {
    if (error instanceof ReferenceProblem) return { text: error.message, failed: true }
    // A stack overflow.
    if (error instanceof RangeError) return tooDeep
    // Nothing can be called any more.
    if (!(error instanceof HostError) || error.code === 'host.closed') throw error
    const isCancelled = error.code === 'call.cancelled' && signal.aborted
    return { text: cancelledText(error), failed: true, error, isCancelled }
  }
}

/** Answers with the result, or with the id of the task that the call has become, if it takes too long. */
async function answerInTime(
  call: StepCall,
  result: Promise<CallResult>,
  control: CallControl,
  runner: CallRunner,
): Promise<CallAnswer> {
  const { view, signal, background, taskMs, clock } = runner
  const { ref = call.name } = targetOf(call, runner).tool ?? {}
  const over = new AbortController()
  const late = clock.sleep(taskMs, over.signal)
  late.catch(() => undefined)
  try {
    const started = { result, task: control.task, release: () => control.release() }
    const answered = background.answer(started, ref, late)
    const first = await answered.catch(() => undefined)
    if (first?.kind === 'running') return { text: sayRunning(first.id), failed: false }
    return await toAnswer(view, result, { signal })
  } finally {
    over.abort()
  }
}

/** The signals of one call. A call that runs in the background does not end with the turn. */
class CallControl {
  readonly #stop = new AbortController()
  readonly #release = new AbortController()
  readonly #listening: Disposable
  #resolve: (id: string) => void = () => undefined
  readonly task = new Promise<string>((resolve) => (this.#resolve = resolve))

  constructor(turn: AbortSignal) {
    this.#listening = onAbort(turn, () => this.#stop.abort(turn.reason))
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  get released(): AbortSignal {
    return this.#release.signal
  }

  onTask(id: string): void {
    this.#resolve(id)
  }

  release(): void {
    this.#listening[Symbol.dispose]()
    this.#release.abort()
  }
}

/** A call that was stopped in the middle may have had an effect; the model has to know. */
function cancelledText(error: HostError): string {
  if (error.code !== 'call.cancelled') return error.message
  return (error as HostError<'call.cancelled'>).data.sent
    ? 'This call was stopped while it ran. It may have had an effect.'
    : 'This call was stopped before it was sent. It did not run.'
}

const refusals: ReadonlySet<string> = new Set(['call.denied', 'tool.held', 'resource.held'])

function outcomeOf({ failed, error, isCancelled = false }: CallAnswer): CallOutcome {
  if (isCancelled) return 'cancelled'
  if (error && refusals.has(error.code)) return 'refused'
  if (error?.code === 'call.outcome-unknown') return 'unknown-outcome'
  return failed ? 'failed' : 'done'
}

function toStoredOutcome(outcome: CallOutcome): 'done' | 'failed' | 'denied' | 'cancelled' {
  if (outcome === 'refused') return 'denied'
  return outcome === 'unknown-outcome' ? 'failed' : outcome
}

function failedResult(text: string): CallResult {
  return { text, blocks: [], failed: true, ref: '', ms: 0 }
}
