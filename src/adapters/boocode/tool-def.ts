import type { ZodType } from 'zod'
import type { Annotations, Host, Json, JsonObject, Tool } from '../../index.ts'
import { HostError, isHostError } from '../../model/error.ts'
import type { ErrorCode } from '../../model/error.ts'
import type { CallResult } from '../../model/result.ts'

/** A tool in BooCode's format: one of its own, or one of a server. */
export interface ToolDef {
  readonly name: string
  readonly description: string
  /** The schema BooCode checks arguments with. */
  readonly inputSchema: ZodType
  /** The schema the model sees. */
  readonly jsonSchema: Readonly<Record<string, unknown>>
  readonly annotations?: Annotations
  /** Absent for BooCode's own tools. */
  readonly route?: ToolRoute
  execute(input: unknown, context?: unknown): Promise<unknown>
}

/** The server of a tool, and the tool's name there. */
export interface ToolRoute {
  readonly server: string
  readonly tool: string
}

export interface McpToolDef extends ToolDef {
  /** As the server sent it (P6). */
  readonly jsonSchema: JsonObject
  readonly route: ToolRoute
  /** Of the second argument only `signal` is used: aborting it cancels the call. */
  execute(input: unknown, context?: unknown): Promise<ToolAnswer>
}

/** The answer of a server's tool: its output, or a failure with its message (C16). */
export type ToolAnswer = string | { readonly error: true; readonly output: string }

/** The current tools of all servers, to append. Tools that declare they write are not among them (B18). */
export async function toToolDefs(host: Host): Promise<McpToolDef[]> {
  const [toToolDef] = await Promise.all([loadToToolDef(), host.ready()])
  return host.tools().map((tool) => toToolDef(host, tool))
}

export type ToToolDef = (host: Host, tool: Tool) => McpToolDef

/** Imports zod on demand: only BooCode needs it. */
export async function loadToToolDef(): Promise<ToToolDef> {
  const { z } = await import('zod')
  // P7: any object passes here, because the server checks its arguments.
  const inputSchema = z.record(z.string(), z.unknown())
  return (host, tool) => ({
    name: tool.name,
    description: tool.description,
    inputSchema,
    jsonSchema: tool.inputSchema,
    annotations: tool.annotations,
    route: { server: tool.server, tool: tool.tool },
    execute: (input, context) => execute(host, tool, input, signalIn(context)),
  })
}

async function execute(
  host: Host,
  { ref, name, server }: Tool,
  input: unknown,
  signal: AbortSignal | undefined,
): Promise<ToolAnswer> {
  try {
    // Called by ref: the name may belong to another tool by now.
    return toAnswer(await host.call(ref, input as Json, { signal, isSerial: true })) // a model's arguments are JSON
  } catch (error) {
    const isGone = isHostError(error, 'tool.unknown')
    if (!isGone) return toFailure(error)
    return isReady(host, server) ? failure(`The server "${server}" no longer offers "${name}".`) : unreachable
  }
}

function isReady(host: Host, server: string): boolean {
  return host.servers().some(({ name, status }) => name === server && status.state === 'ready')
}

function signalIn(context: unknown): AbortSignal | undefined {
  const { signal } = Object(context) as { readonly signal?: unknown } // `Object` accepts any value
  return signal instanceof AbortSignal ? signal : undefined
}

/** P16 */
function toAnswer({ text, failed }: Pick<CallResult, 'text' | 'failed'>): ToolAnswer {
  return failed ? { error: true, output: text } : text
}

/** Errors a model can act on keep their message; all others are reported as an unreachable server (P12). */
function toFailure(error: unknown): ToolAnswer {
  return error instanceof HostError && codesForModel.has(error.code) ? failure(error.message) : unreachable
}

const unreachable: ToolAnswer = { error: true, output: 'MCP server unreachable' }

function failure(output: string): ToolAnswer {
  return { error: true, output }
}

const codesForModel: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'tool.quarantined',
  'tool.held',
  'call.invalid-args',
  'call.denied',
  'call.cancelled',
  'call.too-large',
])
