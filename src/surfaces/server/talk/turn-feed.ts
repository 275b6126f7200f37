import type { AgentEvent } from '../../../agent.ts'

type Piece = Extract<AgentEvent, { readonly type: 'text' | 'reasoning' | 'call.drafted' }>

/** Pieces of an answer within this time are one event: a model sends a hundred a second. */
const frameMs = 30
/** Blocks of a result beyond this many characters stay with the call; the page asks for them there. */
const maxBlocks = 64_000

/** The events of a turn, for pages that follow it and for one that opens in the middle: both know them by their index. */
export class TurnFeed {
  readonly #publish: (event: AgentEvent, index: number) => void
  readonly #events: AgentEvent[] = []
  #piece: Piece | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(publish: (event: AgentEvent, index: number) => void) {
    this.#publish = publish
  }

  /** Everything that was published so far. */
  get events(): readonly AgentEvent[] {
    return this.#events
  }

  push(event: AgentEvent): void {
    if (event.type !== 'text' && event.type !== 'reasoning' && event.type !== 'call.drafted') {
      this.flush()
      return this.#deliver(withoutLargeBlocks(event))
    }
    if (this.#piece && partOf(this.#piece) !== partOf(event)) this.flush()
    this.#piece = joined(this.#piece, event)
    this.#timer ??= setTimeout(() => this.flush(), frameMs).unref()
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const piece = this.#piece
    this.#piece = undefined
    if (piece) this.#deliver(piece)
  }

  #deliver(event: AgentEvent): void {
    this.#publish(event, this.#events.push(event) - 1)
  }
}

/** What a piece belongs to: one of several calls may be written after another. */
function partOf(piece: Piece): string {
  return piece.type === 'call.drafted' ? piece.call : piece.type
}

function joined(before: Piece | undefined, event: Piece): Piece {
  return before ? { ...event, at: before.at, text: before.text + event.text } : event
}

function withoutLargeBlocks(event: AgentEvent): AgentEvent {
  if (event.type !== 'call.finished' || !event.blocks) return event
  if (JSON.stringify(event.blocks).length <= maxBlocks) return event
  const { blocks: _blocks, ...rest } = event
  return rest
}
