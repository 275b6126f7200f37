import type { Json } from '../index.ts'
import { maskTexts } from '../model/mask-texts.ts'
import type { Mask } from '../model/mask-texts.ts'
import type { AgentEvent, AgentEventBody, TurnFinished } from './agent-events.ts'
import type { Turn } from './agent-options.ts'
import { MaskedPieces } from './masked-pieces.ts'

interface TurnEventsOptions {
  readonly redact: Mask
  readonly now: () => number
  readonly on: ((event: AgentEvent) => void) | undefined
}

type PieceType = 'text' | 'reasoning'

/** The events of one turn: each reader gets all of them, from the first one on. */
export class TurnEvents implements Turn {
  readonly finished: Promise<TurnFinished>
  readonly #options: TurnEventsOptions
  readonly #events: AgentEvent[] = []
  readonly #waiting = new Set<() => void>()
  /** The text or the thoughts that arrive now, in pieces. */
  #pieces: { readonly type: PieceType; readonly masked: MaskedPieces } | undefined
  #finish: (event: TurnFinished) => void = () => undefined
  #isFinished = false

  constructor(options: TurnEventsOptions) {
    this.#options = options
    this.finished = new Promise((resolve) => (this.#finish = resolve))
  }

  emit(body: AgentEventBody): void {
    if (body.type !== this.#pieces?.type) this.#endPieces()
    if (body.type === 'text' || body.type === 'reasoning') this.#emitPiece(body)
    else this.#deliver(body)
  }

  #emitPiece({ type, text }: AgentEventBody & { readonly type: PieceType }): void {
    this.#pieces ??= { type, masked: new MaskedPieces(this.#options.redact) }
    const shown = this.#pieces.masked.take(text)
    if (shown !== '') this.#deliver({ type, text: shown })
  }

  #endPieces(): void {
    const { type, masked } = this.#pieces ?? {}
    this.#pieces = undefined
    const shown = masked?.end() ?? ''
    if (type && shown !== '') this.#deliver({ type, text: shown })
  }

  #deliver(body: AgentEventBody): void {
    const { redact, now, on } = this.#options
    // Images in the blocks of a result are not searched: they are base64.
    const hasBytes = body.type === 'call.finished'
    const event = maskTexts(
      { at: now(), ...body } as unknown as Json,
      redact,
      hasBytes,
    ) as unknown as AgentEvent // events are plain JSON
    this.#events.push(event)
    // After a failing listener the turn goes on; the exception surfaces outside of it.
    if (on) callSafely(() => on(event))
    if (event.type === 'turn.finished') {
      this.#isFinished = true
      this.#finish(event)
    }
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent, void, undefined> {
    for (let at = 0; ; at++) {
      while (at >= this.#events.length) {
        if (this.#isFinished) return
        await new Promise<void>((resolve) => this.#waiting.add(resolve))
      }
      const event = this.#events[at]
      if (event) yield event
    }
  }
}

function callSafely(call: () => void): void {
  try {
    call()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
