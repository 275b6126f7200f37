import { HostError, isHostError } from '../model/error.ts'
import type { CallingRules } from '../model/preset.ts'
import type { Tool } from '../model/tool.ts'
import type { Clock } from '../platform/platform.ts'
import { CallLine } from './call-line.ts'
import type { LineOptions } from './call-line.ts'
import type { CallOptions } from './view/view.ts'

interface CallLinesOptions {
  readonly rule: CallingRules['serial']
  readonly clock: Clock
  /** The most calls that wait in one line. */
  readonly maxQueued: number
}

/** The call that enters a line, and what tells it from others. */
interface SerialCall {
  readonly tool: Tool
  readonly conversation: string | undefined
  readonly lane: unknown
  /** When `maxTimeoutMs` ends, on the monotonic clock. */
  readonly deadline: number | undefined
}

/** One line: of a server, or of a conversation. */
interface LineName {
  readonly of: 'server' | 'conversation'
  readonly name: string
}

const method = 'tools/call'

/** The lines of a host's serial calls (`CallOptions.isSerial`): one for each server, and by rule for each conversation. */
export class CallLines {
  readonly #options: CallLinesOptions
  readonly #lines = new Map<string, CallLine>()

  constructor(options: CallLinesOptions) {
    this.#options = options
  }

  /** Runs the call when it is its turn. `maxTimeoutMs` and `signal` count while it waits. */
  async run<T>(call: SerialCall, options: CallOptions, work: () => Promise<T>): Promise<T> {
    const { rule, clock } = this.#options
    const { signal, maxTimeoutMs = 0 } = options
    const { deadline, tool, lane } = call
    const kind = rule === 'server' && tool.concurrencySafe ? 'together' : 'alone'
    const enteredAt = clock.monotonic()
    const timeout = deadline === undefined ? undefined : new AbortController()
    const timer =
      timeout &&
      clock.timer(Math.max(0, (deadline ?? 0) - enteredAt), () => timeout.abort(), { background: true })
    const ends = [signal, timeout?.signal].filter((each) => each !== undefined)
    let beganAt: number | undefined
    const begin = () => {
      beganAt = clock.monotonic()
      timer?.[Symbol.dispose]()
      return work()
    }
    try {
      const ended = ends.length > 1 ? AbortSignal.any(ends) : ends[0]
      return await this.#enter(linesOf(call, rule), { kind, lane, signal: ended }, begin)
    } catch (error) {
      if (beganAt !== undefined)
        throw deadline === undefined ? error : withTimeInLine(error, beganAt - enteredAt)
      if (error instanceof HostError) throw error
      throw notSent(tool, timeout?.signal.aborted ? maxTimeoutMs : undefined, error)
    } finally {
      timer?.[Symbol.dispose]()
    }
  }

  /** Enters one line after the other, always in the same order, so that no two calls wait for each other. */
  async #enter<T>(
    [first, ...others]: readonly LineName[],
    options: LineOptions,
    work: () => Promise<T>,
  ): Promise<T> {
    if (first === undefined) return work()
    const key = `${first.of} ${first.name}`
    const line = this.#lines.get(key) ?? new CallLine()
    this.#lines.set(key, line)
    const { maxQueued } = this.#options
    if (line.size >= maxQueued) throw busy(first, maxQueued)
    try {
      return await line.run(options, () => this.#enter(others, options, work))
    } finally {
      if (line.isEmpty) this.#lines.delete(key)
    }
  }
}

/** A tool of the host itself belongs to no server. */
function linesOf({ tool, conversation = '' }: SerialCall, rule: CallingRules['serial']): readonly LineName[] {
  const server = tool.server === '' ? [] : [{ of: 'server', name: tool.server } as const]
  return rule === 'conversation' ? [{ of: 'conversation', name: conversation }, ...server] : server
}

function busy({ of, name }: LineName, maxQueued: number): HostError<'call.busy'> {
  const server = of === 'server' ? name : ''
  const hint = 'Call again when some of them have ended, or allow more (limits.maxQueued).'
  return new HostError('call.busy', { server }, `${maxQueued} calls wait in line.`, { hint })
}

/** The limit of the caller includes the time in line, which explains an answer that came too late. */
function withTimeInLine(error: unknown, ms: number): unknown {
  if (ms < 1 || !isHostError(error, 'call.timeout')) return error
  const { data, message, hint } = error
  const told = `${message} It had waited ${Math.round(ms)} ms of that for other calls.`
  return new HostError('call.timeout', data, told, { cause: error, ...(hint !== undefined && { hint }) })
}

function notSent(
  { server, name }: Tool,
  timeoutMs: number | undefined,
  cause: unknown,
): HostError<'call.timeout'> | HostError<'call.cancelled'> {
  const data = { server, method, sent: false }
  if (timeoutMs === undefined)
    return new HostError('call.cancelled', data, 'Cancelled before it was sent.', { cause })
  const message = `"${name}" was not called: other calls were still before it after ${timeoutMs} ms.`
  return new HostError('call.timeout', data, message, { cause })
}
