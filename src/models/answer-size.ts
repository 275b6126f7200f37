/** The bytes of one answer: the largest answers are sent in pieces of a few characters, each with some hundred bytes around it. */
const maxAnswer = 256 * 1024 * 1024
/** The bytes of one event, which its reader holds until it is complete. An answer that is no stream is one event. */
const maxEvent = 16 * 1024 * 1024

export interface AnswerLimits {
  readonly answer: number
  readonly event: number
}

export const answerLimits: AnswerLimits = { answer: maxAnswer, event: maxEvent }

/** Counts what arrives of one answer. Events are told apart by the empty line after each. */
export class AnswerSize {
  readonly #limits: AnswerLimits
  #answer = 0
  #event = 0
  /** The line breaks at the end of what arrived: an empty line may be in two chunks. */
  #end = ''

  constructor(limits: AnswerLimits) {
    this.#limits = limits
  }

  /** What is too large, now that `data` arrived too. */
  take(data: Uint8Array): keyof AnswerLimits | undefined {
    const chunk = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    this.#answer += chunk.length
    if (this.#answer > this.#limits.answer) return 'answer'
    const isBetween = isEmptyLine.test(this.#end + chunk.toString('latin1', 0, 3))
    const gap = lastGap(chunk)
    if (gap >= 0) this.#event = chunk.length - gap
    else this.#event = (isBetween ? 0 : this.#event) + chunk.length
    this.#end =
      /[\r\n]*$/.exec(this.#end + chunk.toString('latin1', Math.max(0, chunk.length - 3)))?.[0].slice(-3) ??
      ''
    return this.#event > this.#limits.event ? 'event' : undefined
  }
}

const isEmptyLine = /\n\n|\r\r|\r\n\r\n|\n\r\n/

function lastGap(chunk: Buffer): number {
  return Math.max(chunk.lastIndexOf('\n\n'), chunk.lastIndexOf('\r\n\r\n'), chunk.lastIndexOf('\r\r'))
}
