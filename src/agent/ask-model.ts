import type { Clock } from '../index.ts'
import type { AgentEventBody } from './agent-events.ts'
import type { AgentLimits, AgentModel } from './agent-options.ts'
import { toSeconds, wordFailure } from './model-failure.ts'
import type { ModelFailure } from './model-failure.ts'
import type { runModelStep, StepAnswer, StepRequest } from './model-step.ts'
import { StreamLimits } from './stream-limits.ts'

const maxAttempts = 4
const firstWaitMs = 2000
/** An endpoint that asks for a longer wait is not waited for. */
const maxWaitMs = 60_000

export interface ModelRequest extends Pick<StepRequest, 'system' | 'messages' | 'tools'> {
  readonly model: AgentModel
  readonly limits: AgentLimits
  readonly clock: Clock
  readonly signal: AbortSignal
  /** What is left of the time of the turn. */
  readonly leftMs: () => number
  /** The tool behind a name, if it has an app: an app is told what the model writes. */
  readonly appOf: (name: string) => { readonly ref: string; readonly app: string } | undefined
  readonly emit: (event: AgentEventBody) => void
  readonly runModelStep: typeof runModelStep
}

export interface ModelAnswer extends Omit<StepAnswer, 'failure'> {
  readonly failure?: ModelFailure
  readonly exceeded?: StreamLimits['exceeded']
}

/** One answer of a model. A request that failed before anything arrived is repeated where that may help, and says so. */
export async function askModel(request: ModelRequest): Promise<ModelAnswer> {
  const { model, clock, signal, emit } = request
  for (let attempt = 1; ; attempt++) {
    const { failure: failed, ...answer } = await attemptAnswer(request)
    if (!failed) return answer
    const worded = await wordFailure(failed.error, model, clock.now())
    const failure = answer.content.length > 0 ? toBrokenOff(worded, model) : worded
    const waitMs = failure.waitMs ?? firstWaitMs * 2 ** (attempt - 1)
    const isFinal =
      !failure.isPassing || answer.content.length > 0 || attempt === maxAttempts || waitMs > maxWaitMs
    if (isFinal || signal.aborted) return { ...answer, failure }
    emit({ type: 'notice', message: `${failure.reason} Waiting ${toSeconds(waitMs)}.` })
    const leftMs = request.leftMs()
    try {
      await clock.sleep(Math.max(0, Math.min(waitMs, leftMs)), signal)
    } catch {
      return { ...answer, finish: 'abort' }
    }
    if (waitMs >= leftMs) return { ...answer, failure, exceeded: 'timeMs' }
  }
}

/** The endpoint was reached, and sent a part of its answer. */
function toBrokenOff(failure: ModelFailure, { name }: AgentModel): ModelFailure {
  if (!failure.isPassing || failure.status !== undefined) return failure
  return {
    ...failure,
    reason: `The answer of ${name} broke off: the connection was cut.`,
    hint: 'What arrived is kept. Send a prompt to go on from here.',
  }
}

async function attemptAnswer(request: ModelRequest): Promise<StepAnswer & Pick<ModelAnswer, 'exceeded'>> {
  const { model, limits, clock, leftMs, emit, appOf, system, messages, tools } = request
  // Not `using`: the bundle of the command line is not compiled for older versions of Node, and Node 20 does not know it.
  const stream = new StreamLimits(clock, limits, request.signal, leftMs())
  try {
    const answer = await request.runModelStep({
      model: model.model,
      system,
      messages,
      tools,
      maxOutput: model.maxOutput,
      signal: stream.signal,
      onText: (text) => emit({ type: 'text', text }),
      onReasoning: (text) => emit({ type: 'reasoning', text }),
      onDraft: ({ name, ...draft }) => {
        const tool = appOf(name)
        if (tool) emit({ type: 'call.drafted', name, ...tool, ...draft })
      },
      onPiece: (length) => stream.count(length),
    })
    return { ...answer, ...(stream.exceeded !== undefined && { exceeded: stream.exceeded }) }
  } finally {
    stream[Symbol.dispose]()
  }
}
