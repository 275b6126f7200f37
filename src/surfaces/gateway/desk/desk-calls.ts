import { HostError } from '../../../index.ts'
import type { Progress } from '../../../index.ts'
import { RpcError } from '../../../serving.ts'
import type { DeskCall } from '../../facts/desk/desk-facts.ts'
import type { RequestTrace, RequestWatch, TracedSubject } from '../request-trace.ts'

/** How many calls that have ended are kept. */
const maxEnded = 200
const maxReason = 500
/** A call that reports progress is told of at most this often. */
const progressMs = 100

/** The calls of all clients: those that run, and the last that have ended. */
export class DeskCalls implements RequestWatch {
  readonly #running = new Map<string, DeskCall>()
  readonly #ended: DeskCall[] = []
  readonly #onChange: (call: DeskCall) => void
  #begun = 0

  constructor(onChange: (call: DeskCall) => void) {
    this.#onChange = onChange
  }

  /** The oldest first. */
  all(): readonly DeskCall[] {
    return [...this.#ended, ...this.#running.values()]
  }

  begin(client: string, subject: TracedSubject): RequestTrace {
    const id = `${process.pid}-${++this.#begun}`
    const startedAt = performance.now()
    let call: DeskCall = { id, client, ...subject, server: '', state: 'running', at: Date.now() }
    let failure: unknown
    let toldAt = -Infinity
    const asked: NonNullable<DeskCall['asks']>[] = []
    const change = (changes: Partial<DeskCall>) => {
      call = { ...call, ...changes }
      this.#running.set(id, call)
      this.#onChange(call)
    }
    const follow = () => {
      const { asks: _before, ...rest } = call
      // The person's own question before that to the client: it is the one that can be answered here.
      const asks = asked.find(({ of }) => of === 'person') ?? asked[0]
      call = rest
      change(asks ? { asks, state: 'waits' } : { state: 'running' })
    }
    return {
      found: (server, name = call.name) => change({ server, name }),
      progress: (progress) => {
        const now = performance.now()
        call = { ...call, progress: toProgress(progress) }
        if (now - toldAt < progressMs) return
        toldAt = now
        change({})
      },
      waits: (asks) => {
        asked.push(asks)
        follow()
        return {
          [Symbol.dispose]: () => {
            asked.splice(asked.indexOf(asks), 1)
            if (this.#running.has(id)) follow()
          },
        }
      },
      failed: (error) => (failure = error),
      end: (outcome) => {
        this.#running.delete(id)
        const { asks: _asks, progress: _progress, ...rest } = call
        const reason = failure === undefined ? undefined : textOf(failure)
        call = {
          ...rest,
          state: outcome === 'failed' && isRefusal(failure) ? 'refused' : outcome,
          ms: Math.round((performance.now() - startedAt) * 10) / 10,
          ...(reason !== undefined && outcome === 'failed' && { reason }),
        }
        this.#ended.push(call)
        if (this.#ended.length > maxEnded) this.#ended.shift()
        this.#onChange(call)
      },
    }
  }
}

function toProgress({ progress, total, message }: Progress): NonNullable<DeskCall['progress']> {
  return {
    progress,
    ...(total !== undefined && { total }),
    ...(message !== undefined && { message: message.slice(0, maxReason) }),
  }
}

/** A rule, a person or a limit kept it from running. */
function isRefusal(error: unknown): boolean {
  if (error instanceof RpcError) return error.status === 429
  return error instanceof HostError && (error.code === 'call.denied' || error.code === 'tool.held')
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, maxReason)
}
