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

/** An event whose text is a piece of a longer one. */
type Piece = Extract<AgentEventBody, { readonly type: 'text' | 'reasoning' | 'call.drafted' }>

/** The events of one turn: each reader gets all of them, from the first one on. */
export class TurnEvents implements Turn {
  readonly finished: Promise<TurnFinished>
  readonly #options: TurnEventsOptions
  readonly #events: AgentEvent[] = []
  readonly #waiting = new Set<() => void>()
  /** The text, the thoughts or the arguments that arrive now, in pieces. */
  #pieces: { readonly last: Piece; readonly masked: MaskedPieces } | undefined
  #finish: (event: TurnFinished) => void = () => undefined
  #isFinished = false

  constructor(options: TurnEventsOptions) {
    this.#options = options
    this.finished = new Promise((resolve) => (this.#finish = resolve))
  }

  emit(body: AgentEventBody): void {
    if (this.#pieces && !isNext(this.#pieces.last, body)) this.#endPieces()
    if (isPiece(body)) this.#emitPiece(body)
    else this.#deliver(body)
  }

  #emitPiece(piece: Piece): void {
    const form = piece.type === 'call.drafted' ? 'json' : 'text'
    this.#pieces ??= { last: piece, masked: new MaskedPieces(this.#options.redact, form) }
    const text = this.#pieces.masked.take(piece.text)
    if (text !== '') this.#deliver({ ...piece, text })
  }

  #endPieces(): void {
    const { last, masked } = this.#pieces ?? {}
    this.#pieces = undefined
    const text = masked?.end() ?? ''
    if (last && text !== '') this.#deliver({ ...last, text })
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

function isPiece(body: AgentEventBody): body is Piece {
  return body.type === 'text' || body.type === 'reasoning' || body.type === 'call.drafted'
}

/** Whether a piece goes on where the one before it ended. */
function isNext(last: Piece, body: AgentEventBody): boolean {
  if (last.type !== body.type) return false
  return last.type !== 'call.drafted' || body.type !== 'call.drafted' || last.call === body.call
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
