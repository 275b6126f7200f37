import type { Json, Tool, View } from '../index.ts'
import { HostError } from '../model/error.ts'
import type { ErrorCode } from '../model/error.ts'
import { isObject } from '../model/json.ts'
import type { CallResult } from '../model/result.ts'
import type { CompiledTool } from './compiled-tools.ts'

/** What a model is told of its call. */
export interface Answer {
  readonly text: string
  readonly failed: boolean
  /** Absent where the call did not come to one. */
  readonly result?: CallResult
}

interface Calling {
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
  { signal }: Calling,
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

export function isOwn({ server }: Tool): boolean {
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
  { signal }: Calling,
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
