import type { Output } from '../tool-output.ts'
import { renderDefault } from './default.ts'

/** omp: what a tool says of its own failure begins with `Error: `, and what the server refused with `MCP error: ` (O15). */
export function renderOmp(output: Output): string {
  if (output.rpcError) return `MCP error: ${output.rpcError.message}`
  const text = renderDefault(output)
  return output.failed ? `Error: ${text}` : text
}
