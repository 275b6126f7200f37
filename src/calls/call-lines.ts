import { HostError } from '../model/error.ts'
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
  async run<T>(
    call: SerialCall,
    options: CallOptions,
    work: (options: CallOptions) => Promise<T>,
  ): Promise<T> {
    const { rule, clock } = this.#options
    const { signal, maxTimeoutMs = 0 } = options
    const kind = rule === 'server' && call.tool.concurrencySafe ? 'together' : 'alone'
    const deadline = maxTimeoutMs > 0 ? clock.monotonic() + maxTimeoutMs : undefined
    const timeout = deadline === undefined ? undefined : new AbortController()
    const timer = timeout && clock.timer(maxTimeoutMs, () => timeout.abort(), { background: true })
    const ends = [signal, timeout?.signal].filter((each) => each !== undefined)
    let isRunning = false
    const begin = () => {
      isRunning = true
      timer?.[Symbol.dispose]()
      if (deadline === undefined) return work(options)
      return work({ ...options, maxTimeoutMs: Math.max(1, deadline - clock.monotonic()) })
    }
    try {
      const lineOptions = { kind, signal: ends.length > 1 ? AbortSignal.any(ends) : ends[0] } as const
      return await this.#enter(keysOf(call, rule), { ...lineOptions, lane: call.lane }, begin)
    } catch (error) {
      if (isRunning || error instanceof HostError) throw error
      throw notSent(call.tool, timeout?.signal.aborted ? maxTimeoutMs : undefined, error)
    } finally {
      timer?.[Symbol.dispose]()
    }
  }

  /** Enters one line after the other, always in the same order, so that no two calls wait for each other. */
  async #enter<T>(
    [key, ...others]: readonly string[],
    options: LineOptions,
    work: () => Promise<T>,
  ): Promise<T> {
    if (key === undefined) return work()
    const line = this.#lines.get(key) ?? new CallLine()
    this.#lines.set(key, line)
    const { maxQueued } = this.#options
    if (line.size >= maxQueued) {
      const [server = ''] = key.split('server ').slice(1)
      throw new HostError('call.busy', { server }, `${maxQueued} calls wait in line.`)
    }
    try {
      return await line.run(options, () => this.#enter(others, options, work))
    } finally {
      if (line.isEmpty) this.#lines.delete(key)
    }
  }
}

/** A tool of the host itself belongs to no server. */
function keysOf({ tool, conversation = '' }: SerialCall, rule: CallingRules['serial']): readonly string[] {
  const server = tool.server === '' ? [] : [`server ${tool.server}`]
  return rule === 'conversation' ? [`conversation ${conversation}`, ...server] : server
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
