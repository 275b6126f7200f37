import type { CallOptions, Json, Tool, View } from '../index.ts'
import { HostError } from '../model/error.ts'
import type { ErrorCode } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import { untrustedMark } from '../model/finding.ts'
import type { CallResult } from '../model/result.ts'
import type { AdapterOptions, CompiledTool } from './compiled-tools.ts'

/** A tool call as the model wrote it. */
export interface ModelCall {
  readonly id: string
  readonly name: string
  /** `undefined` if the model's text was not JSON. */
  readonly input: unknown
}

export interface RunOptions {
  readonly signal?: AbortSignal
}

interface AnsweredCall {
  readonly id: string
  readonly answer: Answer
}

/**
 * Answers every call except those of the embedder's own tools, in call order: a provider rejects a conversation with an
 * unanswered call. The calls of one server begin in this order: concurrency-safe tools run in parallel, every other call
 * alone. Different servers do not wait for each other.
 */
export function createRunner(
  view: View,
  offered: readonly CompiledTool[],
  { isSerial = true }: Pick<AdapterOptions, 'isSerial'> = {},
) {
  // Built on first use: there may be thousands of tools and no call.
  let byName: ReadonlyMap<string, CompiledTool> | undefined
  const offeredTool = (name: string) =>
    (byName ??= new Map(offered.map((each) => [each.name, each]))).get(name)
  return async (calls: readonly ModelCall[], options: RunOptions = {}): Promise<readonly AnsweredCall[]> => {
    const native = new Set(view.native().map(({ name }) => name))
    /** The calls of each server that were begun, and the last one that runs alone. */
    const lines = new Map<
      string,
      { readonly begun: Promise<unknown>[]; alone: readonly Promise<unknown>[] }
    >()
    const begin = (call: ModelCall): Promise<AnsweredCall> => {
      const tool = targetTool(call)
      const line = lines.get(tool?.server ?? '') ?? { begun: [], alone: [] }
      lines.set(tool?.server ?? '', line)
      const isAlone = !tool?.concurrencySafe
      const before = isAlone ? [...line.begun] : line.alone
      const answered =
        before.length === 0 ? run(call, options) : Promise.allSettled(before).then(() => run(call, options))
      line.begun.push(answered)
      if (isAlone) line.alone = [answered]
      return answered
    }
    const answered = calls.filter(({ name }) => !native.has(name)).map(begin)
    // A call that throws does not leave others behind that still run.
    await Promise.allSettled(answered)
    return Promise.all(answered)
  }

  /** The tool a call would run, also through `call_tool`; `undefined` if unknown, and then the call runs alone. */
  function targetTool({ name, input }: ModelCall): Tool | undefined {
    const tool = offeredTool(name)?.tool
    if (!tool) return visibleTool(name)
    if (!isCallTool(tool)) return tool
    const target = isObject(input) ? input['name'] : undefined
    return typeof target === 'string' ? visibleTool(target) : undefined
  }

  /** A model may call a tool that was not offered: by its ref, or after a search. */
  function visibleTool(nameOrRef: string): Tool | undefined {
    return view.tools().find(({ name, ref }) => name === nameOrRef || ref === nameOrRef)
  }

  async function run({ id, name, input }: ModelCall, options: RunOptions): Promise<AnsweredCall> {
    if (input === undefined) return { id, answer: { text: 'The arguments are not JSON.', failed: true } }
    const known = offeredTool(name)
    const result = known
      ? callOffered(view, known, input, options)
      : view.call(name, input, { ...options, isSerial })
    return { id, answer: await toAnswer(view, result, options) }
  }
}

/** The host's own `call_tool`, whose calls run another tool. */
function isCallTool(tool: Tool): boolean {
  return isHostTool(tool) && tool.tool === 'call_tool'
}

/** The arguments a model wrote; some models write an empty text for a tool without parameters. */
export function parseInput(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The answer to a call, as the model receives it. */
export interface Answer {
  readonly text: string
  readonly failed: boolean
  /** Absent if the call did not produce one. */
  readonly result?: CallResult
  /** Why the call did not produce one. */
  readonly error?: HostError
}

type SignalOption = Pick<CallOptions, 'signal'>
type OfferedCallOptions = Pick<CallOptions, 'signal' | 'onProgress' | 'onTask' | 'released'>

/**
 * Runs a tool with the arguments a model wrote for its compiled schema. Called by ref, because another tool may have
 * taken the name meanwhile. The host's own tools have no ref; their names are reserved.
 */
export async function callOffered(
  view: View,
  offered: CompiledTool,
  input: unknown,
  { signal, onProgress, onTask, released }: OfferedCallOptions,
): Promise<CallResult> {
  const { tool, toArguments, isSerial } = offered
  // The host rejects arguments that are not an object, with a message the model can act on.
  const args = isObject(input) ? toArguments(input) : (input as Json) // parsed from the model's JSON
  try {
    const options = { signal, isSerial, onProgress, onTask, released }
    return await view.call(isHostTool(tool) ? tool.name : tool.ref, args, options)
  } catch (error) {
    throw error instanceof HostError && codesForModel.has(error.code)
      ? withModelName(error, offered, view)
      : error
  }
}

function isHostTool({ server }: Tool): boolean {
  return server === ''
}

/** The same error with the name the model knows, in place of the ref or of the tool's name here. */
function withModelName(error: HostError, { tool, name }: CompiledTool, view: View): HostError {
  const { code, data, message, hint } = error
  const current = view.tools().find(({ ref }) => ref === tool.ref)
  const quoted = [tool.ref, tool.name, current?.name ?? name]
    .map((each) => JSON.stringify(each))
    .find((each) => message.includes(each))
  const modelName = JSON.stringify(name)
  // If the message mentions the model's name already, that name may now be another tool's: keep both apart.
  if (quoted === undefined || message.includes(modelName)) return error
  const options = { cause: error, ...(hint !== undefined && { hint }) }
  return new HostError(
    code,
    data,
    message.replace(quoted, () => modelName),
    options,
  )
}

/** Turns a call's result or failure into an answer. Throws only errors that a model can do nothing about. */
export async function toAnswer(
  view: View,
  pending: Promise<CallResult>,
  { signal }: SignalOption,
): Promise<Answer> {
  try {
    const result = await pending
    return { text: `${untrustedMark(result)}${result.text}`, failed: result.failed, result }
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    // Cancelled, but not by the caller: the server was stopped or its entry changed, or the host was closed.
    const isServerStopped = error.code === 'call.cancelled' && signal?.aborted !== true
    // Throws if the host was closed.
    if (isServerStopped) await view.ready({ timeoutMs: 1 })
    if (isServerStopped || codesForModel.has(error.code)) return { text: error.message, failed: true, error }
    throw error
  }
}

/** Marks a failure in the text, for APIs that have no field for it. */
export function markedText({ text, failed }: Answer): string {
  return failed && !/^error\b/i.test(text) ? `Error: ${text}` : text
}

/** Errors the model is told about, so that one server's failure does not end the conversation. Others are thrown. */
const codesForModel: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'server.unknown',
  'server.disabled',
  'server.untrusted',
  'server.needs-auth',
  'server.failed',
  'value.unresolved',
  'trust.refused',
  'tool.unknown',
  'tool.quarantined',
  'tool.held',
  'resource.held',
  'call.invalid-args',
  'call.denied',
  'call.busy',
  'call.timeout',
  'call.too-large',
  'call.protocol',
  'call.outcome-unknown',
  // `read_resource`: no server lists the address, or several do.
  'resource.unknown',
  'usage',
])
