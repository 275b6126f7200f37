import type { Json, Tool, View } from '../index.ts'
import { HostError } from '../model/error.ts'
import type { ErrorCode } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import type { CallResult } from '../model/result.ts'
import type { CompiledTool } from './compiled-tools.ts'

/** A call as a model wrote it. */
interface ModelCall {
  readonly id: string
  readonly name: string
  /** `undefined` where it is no JSON. */
  readonly input: unknown
}

export interface RunOptions {
  readonly signal?: AbortSignal
}

interface Answered {
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

/** What a model is told of its call. */
export interface Answer {
  readonly text: string
  readonly failed: boolean
  /** Absent where the call did not come to one. */
  readonly result?: CallResult
}

interface SignalOption {
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs a tool with what a model answered to its schema: this one, whoever has its name by now. The host's own tools have
 * nothing but a name, which nobody else can have.
 */
export async function callOffered(
  view: View,
  offered: CompiledTool,
  input: unknown,
  { signal }: SignalOption,
): Promise<CallResult> {
  const { tool, toArguments } = offered
  // What is no object is for the host to refuse, in words a model can act on.
  const args = isObject(input) ? toArguments(input) : (input as Json) // a model's answer was JSON
  try {
    return await view.call(isOwn(tool) ? tool.name : tool.ref, args, { signal })
  } catch (error) {
    throw error instanceof HostError && told.has(error.code) ? asKnown(error, offered, view) : error
  }
}

function isOwn({ server }: Tool): boolean {
  return server === ''
}

/** The same error about the name that the model knows, which is neither its ref nor always its name here and now. */
function asKnown(error: HostError, { tool, name }: CompiledTool, view: View): HostError {
  const { code, data, message, hint } = error
  const now = view.tools().find(({ ref }) => ref === tool.ref)
  const said = [tool.ref, tool.name, now?.name ?? name]
    .map((one) => JSON.stringify(one))
    .find((one) => message.includes(one))
  const known = JSON.stringify(name)
  // Where it is another's by now, there are two to be told apart.
  if (said === undefined || message.includes(known)) return error
  const options = { cause: error, ...(hint !== undefined && { hint }) }
  return new HostError(
    code,
    data,
    message.replace(said, () => known),
    options,
  )
}

/** What a call comes to as an answer; only what a model can do nothing about is thrown. */
export async function toAnswer(
  view: View,
  calling: Promise<CallResult>,
  { signal }: SignalOption,
): Promise<Answer> {
  try {
    const result = await calling
    return { text: result.text, failed: result.failed, result }
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    const isLetGo = error.code === 'call.cancelled' && signal?.aborted !== true
    // Its server was stopped or declared anew. Where it was the host that ended, this throws.
    if (isLetGo) await view.ready({ timeoutMs: 1 })
    if (isLetGo || told.has(error.code)) return { text: error.message, failed: true }
    throw error
  }
}

/** Where a framework has no word for a failure, the text has. */
export function markedText({ text, failed }: Answer): string {
  return failed && !/^error\b/i.test(text) ? `Error: ${text}` : text
}

/** One server's trouble is no reason to end a conversation. A call that somebody cancelled is, and so is a closed host. */
const told: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'server.unknown',
  'server.disabled',
  'server.untrusted',
  'server.needs-auth',
  'server.failed',
  'value.unresolved',
  'trust.refused',
  'tool.unknown',
  'tool.quarantined',
  'call.invalid-args',
  'call.denied',
  'call.busy',
  'call.timeout',
  'call.too-large',
  'call.protocol',
  'call.outcome-unknown',
  // Whose resource is it?
  'resource.unknown',
  'usage',
])
