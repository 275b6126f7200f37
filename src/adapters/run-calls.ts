import type { Json, Tool, View } from '../index.ts'
import { isObject } from '../model/json.ts'
import { callOffered, isOwn, toAnswer } from './model-calls.ts'
import type { Answer } from './model-calls.ts'
import type { CompiledTool } from './compiled-tools.ts'

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
export function createRunner(view: View, offered: readonly CompiledTool[]) {
  // There may be thousands, and no call of any of them.
  let names: ReadonlyMap<string, CompiledTool> | undefined
  const offeredAs = (name: string) => (names ??= new Map(offered.map((each) => [each.name, each]))).get(name)
  return async (calls: readonly ModelCall[], options: RunOptions = {}): Promise<readonly Answered[]> => {
    const native = new Set(view.native().map(({ name }) => name))
    const running: Promise<Answered>[] = []
    const ours = calls.filter(({ name }) => !native.has(name))
    for (const call of ours) {
      const isAlone = ours.length > 1 && !meantBy(call)?.concurrencySafe
      if (isAlone) await Promise.allSettled(running)
      running.push(run(call, options))
      if (isAlone) await Promise.allSettled(running)
    }
    return Promise.all(running)
  }

  /** The tool that would run, where that is known; one that is not runs alone. */
  function meantBy({ name, input }: ModelCall): Tool | undefined {
    const tool = offeredAs(name)?.tool
    if (!tool) return seenAs(name)
    if (!isCalling(tool)) return tool
    const meant = isObject(input) ? input['name'] : undefined
    return typeof meant === 'string' ? seenAs(meant) : undefined
  }

  /** A model may call what it was not offered: by a ref, or because it looked for it. */
  function seenAs(nameOrRef: string): Tool | undefined {
    return view.tools().find(({ name, ref }) => name === nameOrRef || ref === nameOrRef)
  }

  async function run({ id, name, input }: ModelCall, options: RunOptions): Promise<Answered> {
    if (input === undefined) return { id, answer: { text: 'The arguments are not JSON.', failed: true } }
    const known = offeredAs(name)
    const calling = known ? callOffered(view, known, input, options) : view.call(name, input as Json, options) // it was parsed
    return { id, answer: await toAnswer(view, calling, options) }
  }
}

/** Its calls are calls of another tool. */
function isCalling(tool: Tool): boolean {
  return isOwn(tool) && tool.tool === 'call_tool'
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
