import type { Json, View } from '../index.ts'
import { callOffered, toAnswer } from './answer.ts'
import type { Answer } from './answer.ts'
import type { OfferedTool } from './offer.ts'

/** A call as a model wrote it. */
export interface ModelCall {
  readonly id: string
  readonly name: string
  /** `undefined` where it is no JSON. */
  readonly input: unknown
}

export interface RunOptions {
  readonly signal?: AbortSignal
}

export interface Answered {
  readonly id: string
  readonly answer: Answer
}

/**
 * Answers every call but those of the embedder's own tools, in the order of the calls: a provider refuses a
 * conversation in which one is left without. Tools that may run beside others do; the rest wait for those before them.
 */
export function createRunner(view: View, offered: readonly OfferedTool[]) {
  // There may be thousands, and no call of any of them.
  let names: ReadonlyMap<string, OfferedTool> | undefined
  const offeredAs = (name: string) =>
    (names ??= new Map(offered.map((each) => [each.tool.name, each]))).get(name)
  return async (calls: readonly ModelCall[], options: RunOptions = {}): Promise<readonly Answered[]> => {
    const native = new Set(view.native().map(({ name }) => name))
    const running: Promise<Answered>[] = []
    for (const call of calls.filter(({ name }) => !native.has(name))) {
      const isAlone = offeredAs(call.name)?.tool.concurrencySafe === false
      if (isAlone) await Promise.allSettled(running)
      running.push(run(call, options))
      if (isAlone) await Promise.allSettled(running)
    }
    return Promise.all(running)
  }

  async function run({ id, name, input }: ModelCall, options: RunOptions): Promise<Answered> {
    if (input === undefined) return { id, answer: { text: 'The arguments are not JSON.', failed: true } }
    const known = offeredAs(name)
    const calling = known ? callOffered(view, known, input, options) : view.call(name, input as Json, options) // it was parsed
    return { id, answer: await toAnswer(calling) }
  }
}

/** Some models write nothing for a tool that takes nothing. */
export function parseInput(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
