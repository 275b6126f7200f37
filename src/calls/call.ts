import { HostError, isHostError } from '../model/error.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { nearest } from '../model/near.ts'
import type { CallResult } from '../model/result.ts'
import type { Tool } from '../model/tool.ts'
import type { Clock } from '../platform/platform.ts'
import type { Decision } from '../policy/call-rules.ts'
import { capContent, fitForModel, isShort } from './limit.ts'
import type { Fitted, ResultLimits } from './limit.ts'
import { maskOutput, readOutput } from './tool-output.ts'
import type { Output } from './tool-output.ts'
import { permit } from './permission.ts'
import type { Permitting } from './permission.ts'
import { neutralize } from './render/render.ts'
import type { Render } from './render/render.ts'
import type { Spill } from './spill.ts'
import type { Checked } from './validate.ts'
import type { CallOptions } from './view/view.ts'

export interface CallRequest {
  /** What a model calls it, or its ref. */
  readonly name: string
  readonly args?: Json
  readonly options?: CallOptions
}

export interface Sending {
  readonly options: CallOptions
  readonly isRepeatable: boolean
}

export interface CallDeps extends Permitting {
  /** Within the view of who calls. */
  readonly findTool: (nameOrRef: string) => Tool | undefined
  /** What could have been called instead. */
  readonly tools: () => readonly Pick<Tool, 'name' | 'tool'>[]
  /** Why one that there was is not there now. */
  readonly lost?: (nameOrRef: string) => string | undefined
  /** Absent where the server alone checks arguments (C32). */
  readonly check?: (schema: JsonObject, args: Json) => Checked | Promise<Checked>
  /** Told of arguments that could not be checked. */
  readonly onUnchecked?: (tool: Tool, reason: string) => void
  /** Only what somebody else may have taken back meanwhile is waited for. */
  readonly decide: (tool: Tool, args: JsonObject) => Decision | Promise<Decision>
  /** The result as it came. Throws a `HostError`; `request.refused` is an answer of the server. */
  readonly send: (tool: Tool, args: JsonObject, sending: Sending) => Promise<Json>
  readonly render: Render
  readonly limits: ResultLimits
  readonly spill?: Spill
  /** Clears a text of known secrets; absent while there are none. */
  readonly mask?: ((text: string) => string) | undefined
  readonly clock: Pick<Clock, 'monotonic'>
}

/** A call whose tool is known and whose arguments are valid. */
interface Call {
  readonly tool: Tool
  readonly args: JsonObject
  readonly options: CallOptions
}

/**
 * Runs one call. It rejects only if the call did not run, or if it is unknown whether it did (D-5). Validating and
 * deciding return a promise only where there is something to wait for: most calls are sent at once (decision 017).
 */
export async function callTool(
  { name, args, options = {} }: CallRequest,
  deps: CallDeps,
): Promise<CallResult> {
  const tool = findTool(name, deps)
  // Some models write `null` for no arguments.
  const valid = validateArgs(tool, args ?? {}, deps)
  const call: Call = { tool, args: valid instanceof Promise ? await valid : valid, options }
  const decided = decide(call, deps)
  if (decided) await decided
  const startedAt = deps.clock.monotonic()
  const output = await send(call, deps)
  return limitOutput(output, { ref: tool.ref, ms: deps.clock.monotonic() - startedAt }, options, deps)
}

/** Throws, or rejects, unless the call may run. */
function decide({ tool, args, options }: Call, deps: CallDeps): Promise<void> | undefined {
  const decision = deps.decide(tool, args)
  if (decision instanceof Promise)
    return decision.then((late) => permit({ tool, args, decision: late }, deps, options.signal))
  // What is allowed outright needs no answer.
  if (decision.effect === 'allow' && !options.signal) return undefined
  return permit({ tool, args, decision }, deps, options.signal)
}

function send({ tool, args, options }: Call, deps: CallDeps): Promise<Output> {
  return deps.send(tool, args, { options, isRepeatable: isRepeatable(tool) }).then(readOutput, readRefusal)
}

function limitOutput(
  output: Output,
  about: Pick<CallResult, 'ref' | 'ms'>,
  { isWhole = false }: CallOptions,
  { limits, mask, render, spill }: CallDeps,
): CallResult | Promise<CallResult> {
  const capped = capContent(mask ? maskOutput(output, mask) : output, limits.maxResultBytes)
  const told = neutralize(render(capped))
  // What is not, word for word, a text that was masked: numbers, and what was parted.
  const text = mask && told !== capped.blocks[0]?.['text'] ? mask(told) : told
  if (isWhole || isShort(text, limits)) return toResult(capped, { text }, about)
  return fitForModel(text, limits, spill).then((fitted) => toResult(capped, fitted, about))
}

/** The tool, or an error that names those that may have been meant. */
export function findTool(name: string, deps: Pick<CallDeps, 'findTool' | 'tools' | 'lost'>): Tool {
  const tool = deps.findTool(name)
  if (tool) return tool
  const why = deps.lost?.(name)
  const own = new Map(deps.tools().map((each) => [each.name, each.tool]))
  const similar = nearest(name, [...own.keys()], own)
  const hint =
    similar.length === 0 ? '' : ` Did you mean ${similar.map((each) => JSON.stringify(each)).join(', ')}?`
  const gone = why === undefined ? '.' : ` now. ${why}`
  const message = neutralize(`There is no tool ${JSON.stringify(name.slice(0, 200))}${gone}${hint}`)
  throw new HostError('tool.unknown', { tool: name, near: similar }, message)
}

/** The arguments, or an error that a model can act on. */
export function validateArgs(
  tool: Tool,
  args: Json,
  deps: Pick<CallDeps, 'check' | 'onUnchecked'>,
): JsonObject | Promise<JsonObject> {
  const checked = deps.check?.(tool.inputSchema, args)
  return checked instanceof Promise
    ? checked.then((each) => acceptArgs(tool, args, each, deps))
    : acceptArgs(tool, args, checked, deps)
}

function acceptArgs(
  tool: Tool,
  args: Json,
  checked: Checked | undefined,
  deps: Pick<CallDeps, 'onUnchecked'>,
): JsonObject {
  if (checked?.kind === 'unchecked') deps.onUnchecked?.(tool, checked.reason)
  if (checked?.kind !== 'invalid') return args as JsonObject // a check takes objects only, and without one the server does
  const { problems } = checked
  const list = problems.map(({ path, message }) => `- ${path === '' ? '' : `${path}: `}${message}`).join('\n')
  throw new HostError(
    'call.invalid-args',
    { ref: tool.ref, problems },
    neutralize(`"${tool.name}" was not called, because its arguments are not right:\n${list}`),
  )
}

/** Doing it twice is the same as doing it once, as far as the tool says (D-5). */
function isRepeatable({ annotations }: Tool): boolean {
  return annotations.readOnlyHint === true || annotations.idempotentHint === true
}

/** An error that the server answered with is a result. */
function readRefusal(error: unknown): Output {
  if (!isHostError(error, 'request.refused')) throw error
  return { blocks: [], failed: true, rpcError: error.data.error }
}

/** What is kept, and the text of it that a model gets. */
function toResult(
  { blocks, structured, failed, rpcError }: Output,
  { text, spilled }: Fitted,
  { ref, ms }: Pick<CallResult, 'ref' | 'ms'>,
): CallResult {
  // What nearly every result is.
  if (!spilled && structured === undefined && !rpcError) return { text, blocks, failed, ref, ms }
  return {
    text,
    ...(spilled && { spilled }),
    blocks,
    ...(structured !== undefined && { structured }),
    failed,
    ...(rpcError && { rpcError: { code: rpcError.code, message: rpcError.message } }),
    ref,
    ms,
  }
}
