import { HostError, isHostError } from '../model/error.ts'
import type { ArgumentProblem } from '../model/error.ts'
import { isObject, jsonTextOf } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { maskTexts } from '../model/mask-texts.ts'
import { nearest } from '../model/near.ts'
import { copyAsJson } from '../model/json-copy.ts'
import type { CallResult } from '../model/result.ts'
import type { Tool } from '../model/tool.ts'
import type { Clock } from '../platform/platform.ts'
import type { Decision } from '../policy/call-rules.ts'
import { capContent, fitForModel, isShort } from './limit.ts'
import type { ModelText, ResultLimits } from './limit.ts'
import { maskOutput, readOutput } from './tool-output.ts'
import type { Output } from './tool-output.ts'
import { ensurePermitted } from './permission.ts'
import type { Permission, PermissionDeps } from './permission.ts'
import { neutralize } from './render/render.ts'
import type { Render } from './render/render.ts'
import type { Spill } from './spill.ts'
import type { CheckResult } from './validate.ts'
import type { CallOptions } from './view/view.ts'

export interface CallRequest {
  /** The name that a model sees, or the ref. */
  readonly name: string
  readonly args?: Json
  readonly options?: CallOptions
  /** How long it has waited for servers, which counts against `maxTimeoutMs`. */
  readonly waitedMs?: number
  /** Learns what was decided, before the call is sent, and whether its answer was judged again. */
  readonly onDecided?: ((decision: Decision | JudgedAnswer) => void) | undefined
}

/** The tools of the server changed while the call ran: its answer was judged by the new list. */
export interface JudgedAnswer {
  readonly judged: 'passed'
}

export interface ToolSendOptions {
  readonly options: CallOptions
  readonly isRepeatable: boolean
  /** The time on the monotonic clock. */
  readonly now: number
  /** When `maxTimeoutMs` ends, on the monotonic clock. */
  readonly deadline: number | undefined
}

export interface CallDeps extends PermissionDeps {
  /** Finds a tool that is visible to the caller. */
  readonly findTool: (nameOrRef: string) => Tool | undefined
  /** The visible tools, for suggestions. */
  readonly tools: () => readonly Pick<Tool, 'name' | 'tool'>[]
  /** Why a tool that exists is not available now. */
  readonly whyMissing?: (nameOrRef: string) => string | undefined
  /** Absent if only the server checks arguments (C32). */
  readonly check?: (schema: JsonObject, args: Json) => CheckResult | Promise<CheckResult>
  /** Called when the arguments could not be checked. */
  readonly onUnchecked?: (tool: Tool, reason: string) => void
  /** Returns a promise only if another program may have withdrawn the approval meanwhile. */
  readonly decide: (tool: Tool, args: JsonObject) => Decision | Promise<Decision>
  /** Returns the result as received. Throws a `HostError`; `request.refused` means that the server answered with an error. */
  readonly send: (tool: Tool, args: JsonObject, options: ToolSendOptions) => Promise<Json>
  /** Rejects if the tool is held by now; nothing to wait for if its server announced no other tools while the call ran. */
  readonly judgeAnswer?: (tool: Tool, options: CallOptions) => Promise<void> | undefined
  /** Runs a serial call when it is its turn. */
  readonly runInLine: <T>(
    call: { readonly tool: Tool; readonly options: CallOptions; readonly deadline: number | undefined },
    run: () => Promise<T>,
  ) => Promise<T>
  readonly render: Render
  readonly limits: ResultLimits
  readonly spill?: Spill
  /** Masks known secrets in a text; absent while there are none. */
  readonly mask?: ((text: string) => string) | undefined
  readonly clock: Pick<Clock, 'monotonic'>
  /** Whether the result is kept as the server sent it, too. */
  readonly keepsRaw?: (tool: Tool) => boolean
}

/** A call whose tool is known and whose arguments are valid. */
interface Call {
  readonly tool: Tool
  readonly args: JsonObject
  readonly options: CallOptions
}

/**
 * Runs one call. Rejects only if the call did not run, or if it is unknown whether it ran (D-5). Validating and
 * deciding return a promise only if there is something to wait for: most calls are sent at once (decision 017).
 */
export async function callTool(
  { name, args, options = {}, waitedMs = 0, onDecided }: CallRequest,
  deps: CallDeps,
): Promise<CallResult> {
  const tool = findTool(name, deps)
  const valid = validateArgs(tool, asSent(tool, args), deps)
  const asked: Call = { tool, args: valid instanceof Promise ? await valid : valid, options }
  const decided = decide(asked, deps, onDecided)
  const permission = decided && (await decided)
  const call = permission?.args ? await withArguments(asked, permission.args, deps) : asked
  const startedAt = deps.clock.monotonic()
  const { maxTimeoutMs = 0 } = options
  const deadline = maxTimeoutMs > 0 ? startedAt + maxTimeoutMs - waitedMs : undefined
  const sendAt = (now: number) => send(call, { now, deadline }, deps)
  const output = await (options.isSerial
    ? inLine({ tool, options, deadline }, () => sendAt(deps.clock.monotonic()), deps)
    : sendAt(startedAt))
  const judged = deps.judgeAnswer?.(tool, options)
  if (judged) {
    await judged
    onDecided?.({ judged: 'passed' })
  }
  const about = { ref: tool.ref, ms: deps.clock.monotonic() - startedAt }
  if (options.forward) return toForwarded(output, about, permission, deps)
  const result = limitOutput(output, about, options, deps)
  if (!permission) return result
  const edited = permission.args && { editedArgs: call.args }
  return { ...(await result), ...edited, waitedMs: permission.waitedMs }
}

/** Leaves the line early when the caller no longer waits: other calls of the server go on beside a task. */
async function inLine(
  call: { readonly tool: Tool; readonly options: CallOptions; readonly deadline: number | undefined },
  run: () => Promise<Output>,
  deps: CallDeps,
): Promise<Output> {
  const { released } = call.options
  if (!released) return deps.runInLine(call, run)
  let sending: Promise<Output> | undefined
  const first = await deps.runInLine(call, () => {
    sending = run()
    return Promise.race([sending, untilAborted(released)])
  })
  return first ?? sending ?? run()
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined)
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

/** The call with the arguments that a person put in place of its own. They are checked as any others. */
async function withArguments(call: Call, edited: JsonObject, deps: CallDeps): Promise<Call> {
  return { ...call, args: await validateArgs(call.tool, asSent(call.tool, edited), deps) }
}

/** Throws or rejects unless the call may run; resolves with what a person decided. */
function decide(
  { tool, args, options }: Call,
  deps: CallDeps,
  onDecided: CallRequest['onDecided'],
): Promise<Permission | undefined> | undefined {
  const decision = deps.decide(tool, args)
  if (decision instanceof Promise)
    return decision.then((late) => {
      onDecided?.(late)
      return ensurePermitted({ tool, args, decision: late }, deps, options)
    })
  onDecided?.(decision)
  // An allowed call has nothing to wait for.
  if (decision.effect === 'allow' && !options.signal?.aborted) return undefined
  return ensurePermitted({ tool, args, decision }, deps, options)
}

function send(
  { tool, args, options }: Call,
  { now, deadline }: Pick<ToolSendOptions, 'now' | 'deadline'>,
  deps: CallDeps,
): Promise<Output> {
  return deps
    .send(tool, args, { options, isRepeatable: isRepeatable(tool), now, deadline })
    .then(options.forward ? keepOutput : deps.keepsRaw?.(tool) ? readAndKeep : readOutput, readRefusal)
}

function readAndKeep(raw: Json): Output {
  return { ...readOutput(raw), raw }
}

/** The output of a call that is passed on: as it came, with what is recorded about a call. */
function keepOutput(raw: Json): Output {
  return { blocks: [], failed: isObject(raw) && raw['isError'] === true, raw }
}

function toForwarded(
  { failed, rpcError, raw }: Output,
  about: Pick<CallResult, 'ref' | 'ms'>,
  permission: Permission | undefined,
  { mask }: CallDeps,
): CallResult {
  // Nearly every result: no spreads.
  if (!mask && raw !== undefined && !rpcError && !permission)
    return { text: '', blocks: [], failed, raw, ref: about.ref, ms: about.ms }
  const clean = (value: Json) => (mask ? maskTexts(value, mask, true) : value)
  const { message = '', data } = rpcError ?? {}
  return {
    text: '',
    blocks: [],
    failed,
    ...(raw !== undefined && { raw: clean(raw) }),
    ...(rpcError && {
      rpcError: {
        code: rpcError.code,
        message: mask ? mask(message) : message,
        ...(data !== undefined && { data: clean(data) }),
      },
    }),
    ...(permission && { waitedMs: permission.waitedMs }),
    ...about,
  }
}

function limitOutput(
  output: Output,
  about: Pick<CallResult, 'ref' | 'ms'>,
  { isWhole = false }: CallOptions,
  deps: CallDeps,
): CallResult | Promise<CallResult> {
  const { maxResultBytes } = deps.limits
  const json = isWhole || maxResultBytes !== undefined ? undefined : jsonTextOf(output.structured)
  return json === undefined ? limitEach(output, about, isWhole, deps) : limitLarge(output, json, about, deps)
}

async function limitLarge(
  output: Output,
  json: string,
  about: Pick<CallResult, 'ref' | 'ms'>,
  deps: CallDeps,
): Promise<CallResult> {
  const { limitLargeOutput } = await import('./large-output.ts')
  const limited = await limitLargeOutput(output, json, deps)
  return limited ? toResult(limited.output, limited.fitted, about) : limitEach(output, about, false, deps)
}

/** Masks, limits and renders every value of the output. */
function limitEach(
  output: Output,
  about: Pick<CallResult, 'ref' | 'ms'>,
  isWhole: boolean,
  { limits, mask, render, spill }: CallDeps,
): CallResult | Promise<CallResult> {
  const masked = mask ? maskOutput(output, mask) : output
  const capped = capContent(masked, limits.maxResultBytes)
  const isIncomplete = capped !== masked
  const rendered = neutralize(render(capped))
  // Mask again if the text is more than the first block, which is masked: rendering joins parts and adds numbers.
  const text = mask && rendered !== capped.blocks[0]?.['text'] ? mask(rendered) : rendered
  if (isWhole || isShort(text, limits)) return toResult(capped, { text, isIncomplete }, about)
  return fitForModel(text, limits, spill).then((fitted) =>
    toResult(capped, isIncomplete ? { ...fitted, isIncomplete } : fitted, about),
  )
}

/** Returns the tool, or throws an error that suggests similar names. */
export function findTool(name: string, deps: Pick<CallDeps, 'findTool' | 'tools' | 'whyMissing'>): Tool {
  const tool = deps.findTool(name)
  if (tool) return tool
  const why = deps.whyMissing?.(name)
  const own = new Map(deps.tools().map((each) => [each.name, each.tool]))
  const similar = nearest(name, [...own.keys()], own)
  const hint =
    similar.length === 0 ? '' : ` Did you mean ${similar.map((each) => JSON.stringify(each)).join(', ')}?`
  const gone = why === undefined ? '.' : ` now. ${why}`
  const message = neutralize(`There is no tool ${JSON.stringify(name.slice(0, 200))}${gone}${hint}`)
  throw new HostError('tool.unknown', { tool: name, near: similar }, message)
}

/**
 * The arguments as they are sent: the schema, the rules and the person who approves must see what the server gets, and not
 * an object whose `toJSON` or getters write something else later.
 */
function asSent(tool: Tool, args: Json | undefined): Json {
  // Some models send `null` for no arguments.
  if (args === undefined || args === null) return {}
  try {
    return copyAsJson(args)
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n')
    throw invalidArgs(tool, [{ path: '', message: `they cannot be written as JSON: ${reason}` }])
  }
}

/** Returns the arguments, or throws an error that a model can act on. */
export function validateArgs(
  tool: Tool,
  args: Json,
  deps: Pick<CallDeps, 'check' | 'onUnchecked'>,
): JsonObject | Promise<JsonObject> {
  const result = deps.check?.(tool.inputSchema, args)
  return result instanceof Promise
    ? result.then((late) => acceptArgs(tool, args, late, deps))
    : acceptArgs(tool, args, result, deps)
}

function acceptArgs(
  tool: Tool,
  args: Json,
  result: CheckResult | undefined,
  deps: Pick<CallDeps, 'onUnchecked'>,
): JsonObject {
  if (result?.kind === 'unchecked') deps.onUnchecked?.(tool, result.reason)
  if (result?.kind !== 'invalid') return args as JsonObject // a check accepts only objects; without one the server checks
  throw invalidArgs(tool, result.problems)
}

function invalidArgs(tool: Tool, problems: readonly ArgumentProblem[]): HostError {
  const list = problems.map(({ path, message }) => `- ${path === '' ? '' : `${path}: `}${message}`).join('\n')
  return new HostError(
    'call.invalid-args',
    { ref: tool.ref, problems },
    neutralize(`"${tool.name}" was not called, because its arguments are invalid:\n${list}`),
  )
}

/** Whether the tool declares that running it twice has the same effect as running it once (D-5). */
function isRepeatable({ annotations }: Tool): boolean {
  return annotations.readOnlyHint === true || annotations.idempotentHint === true
}

/** An error response of the server counts as a result of the call. */
function readRefusal(error: unknown): Output {
  if (!isHostError(error, 'request.refused')) throw error
  return { blocks: [], failed: true, rpcError: error.data.error }
}

/** Combines the output, and the text that a model gets, into a result. */
function toResult(
  { blocks, structured, failed, rpcError, raw }: Output,
  { text, spilled, isIncomplete = false }: ModelText,
  { ref, ms }: Pick<CallResult, 'ref' | 'ms'>,
): CallResult {
  // Fast path for nearly every result: no spreads.
  if (!spilled && !isIncomplete && structured === undefined && !rpcError && raw === undefined)
    return { text, blocks, failed, ref, ms }
  return {
    text,
    ...(spilled && { spilled }),
    ...(isIncomplete && { isIncomplete }),
    blocks,
    ...(structured !== undefined && { structured }),
    failed,
    ...(rpcError && { rpcError: { code: rpcError.code, message: rpcError.message } }),
    ...(raw !== undefined && { raw }),
    ref,
    ms,
  }
}
