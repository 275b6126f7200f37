import type { ZodType } from 'zod'
import type { Annotations, Host, Json, JsonObject, Tool } from '../../index.ts'
import { HostError } from '../../model/error.ts'
import type { ErrorCode } from '../../model/error.ts'
import type { CallResult } from '../../model/result.ts'

/** A tool as BooCode has it: one of its own, or one of a server. */
export interface ToolDef {
  readonly name: string
  readonly description: string
  /** What BooCode checks arguments with. */
  readonly inputSchema: ZodType
  /** What the model is told about them. */
  readonly jsonSchema: Readonly<Record<string, unknown>>
  readonly annotations?: Annotations
  /** Absent for BooCode's own. */
  readonly route?: ToolRoute
  execute(input: unknown, context?: unknown): Promise<unknown>
}

/** Whose tool it is, and what it is called there. */
export interface ToolRoute {
  readonly server: string
  readonly tool: string
}

export interface McpToolDef extends ToolDef {
  /** As the server sent it (P6). */
  readonly jsonSchema: JsonObject
  readonly route: ToolRoute
  /** What BooCode passes beside the input is its own matter; a `signal` in it ends the call. */
  execute(input: unknown, context?: unknown): Promise<ToolAnswer>
}

/** What a tool of a server answers: its output, or that it failed and with which words (C16). */
export type ToolAnswer = string | { readonly error: true; readonly output: string }

/** The tools of all servers at this moment, to append. Those that declare to write are not among them (B18). */
export async function toToolDefs(host: Host): Promise<McpToolDef[]> {
  const [toToolDef] = await Promise.all([loadToToolDef(), host.ready()])
  return host.tools().map((tool) => toToolDef(host, tool))
}

export type ToToolDef = (host: Host, tool: Tool) => McpToolDef

/** Loads zod, which only BooCode needs. */
export async function loadToToolDef(): Promise<ToToolDef> {
  const { z } = await import('zod')
  // P7: the server checks its arguments, and nobody does it twice.
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
    // By its ref: a name may come to be another tool's.
    return toAnswer(await host.call(ref, input as Json, { signal })) // a model's arguments are JSON
  } catch (error) {
    const isGone = error instanceof HostError && error.code === 'tool.unknown'
    if (!isGone) return toFailure(error)
    return isUp(host, server) ? failure(`The server "${server}" no longer offers "${name}".`) : unreachable
  }
}

function isUp(host: Host, server: string): boolean {
  return host.servers().some(({ name, status }) => name === server && status.state === 'ready')
}

function signalIn(context: unknown): AbortSignal | undefined {
  const { signal } = Object(context) as { readonly signal?: unknown } // whatever it is
  return signal instanceof AbortSignal ? signal : undefined
}

/** P16 */
function toAnswer({ text, failed }: Pick<CallResult, 'text' | 'failed'>): ToolAnswer {
  return failed ? { error: true, output: text } : text
}

/** What a model can do something about is told; everything else is a server that cannot be reached (P12). */
function toFailure(error: unknown): ToolAnswer {
  return error instanceof HostError && told.has(error.code) ? failure(error.message) : unreachable
}

const unreachable: ToolAnswer = { error: true, output: 'MCP server unreachable' }

function failure(output: string): ToolAnswer {
  return { error: true, output }
}

const told: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'tool.quarantined',
  'call.invalid-args',
  'call.denied',
  'call.cancelled',
  'call.too-large',
])
