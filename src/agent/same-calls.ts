import { hashOf } from '../model/canonical.ts'
import type { AgentLimits } from './agent-options.ts'
import type { StepCall } from './model-step.ts'

interface Counted {
  count: number
  text?: string
}

/** Counts equal calls with equal results in one turn: a model that repeats itself is told, then stopped. */
export class SameCalls {
  readonly #limits: Pick<AgentLimits, 'sameCalls' | 'maxSameCalls'>
  readonly #counts = new Map<string, Counted>()
  readonly #counted = new WeakMap<StepCall, Counted>()
  #isExceeded = false

  constructor(limits: Pick<AgentLimits, 'sameCalls' | 'maxSameCalls'>) {
    this.#limits = limits
  }

  /** A call was refused because it had been made too often. */
  get isExceeded(): boolean {
    return this.#isExceeded
  }

  /** Counts a call that is about to run; the text for the model if it must not run. */
  refusal(call: StepCall): string | undefined {
    const counted = this.#of(call)
    this.#counted.set(call, counted)
    counted.count++
    if (counted.count <= this.#limits.maxSameCalls) return undefined
    this.#isExceeded = true
    return `Not run: this call was made ${this.#limits.maxSameCalls} times with the same arguments and the same result.`
  }

  /** A sentence behind the result, once the call was made too often. A new result begins a new count. */
  note(call: StepCall, text: string): string {
    const counted = this.#counted.get(call)
    if (!counted) return ''
    if (counted.count > this.#limits.maxSameCalls) return ''
    if (counted.text !== undefined && counted.text !== text) counted.count = 1
    counted.text = text
    if (counted.count <= this.#limits.sameCalls) return ''
    return `\n\n[This is call ${counted.count} with the same arguments and the same result. Do something else, or answer.]`
  }

  #of({ name, input }: StepCall): Counted {
    const key = `${name} ${hashOf(input ?? null)}`
    const counted = this.#counts.get(key) ?? { count: 0 }
    this.#counts.set(key, counted)
    return counted
  }
}

const sameNote =
  /\n\n\[This is call \d+ with the same arguments and the same result\. Do something else, or answer\.\]$/

/** The text of a result without the sentence behind it. */
export function withoutSameNote(text: string): string {
  return text.replace(sameNote, '')
}
