import type { JsonObject, Tool } from '../../index.ts'
import type { GatewayView } from './gateway-view.ts'

/** A ref is the same whatever name a tool has here. The tools that search and call have names only. */
export function calledBy({ server, ref, name }: Tool): string {
  return server === '' ? name : ref
}

/** The tool that a call is for; with the tools that search and call, the one that is called. */
export function calledTool(
  tool: Tool,
  args: JsonObject | undefined,
  { view }: GatewayView,
): Tool | undefined {
  const named = tool.server === '' ? args?.['name'] : undefined
  if (typeof named !== 'string') return tool.server === '' ? undefined : tool
  return view.tools().find(({ name, ref }) => name === named || ref === named)
}
