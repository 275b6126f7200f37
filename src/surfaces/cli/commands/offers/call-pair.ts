import { fromRef } from '../../../../index.ts'
import type { Host } from '../../../../index.ts'
import { requiredOf } from '../../../../internal.ts'
import { quote } from '../../../terminal/argv.ts'
import { usage } from '../../errors.ts'
import { isOwner } from './find-tool.ts'
import type { TypedTool } from './find-tool.ts'

/** `SERVER TOOL`; if the first word is a tool, the second is an argument without a key. */
export async function toPair(host: Host, first: string, second: string): Promise<TypedTool> {
  const pair = { server: first, tool: second }
  const { servers } = host.discovery
  if (servers.some(({ name }) => name === first)) return pair
  await host.ready({ from: 'disk' })
  const tool = host.tools().find(({ name, ref, tool: own }) => [name, ref, own].includes(first))
  if (!tool && fromRef(first) === undefined && !servers.some((server) => isOwner(first, server))) return pair
  const [key] = tool ? requiredOf(tool.inputSchema) : []
  const form =
    key === undefined ? '' : ` For example: plugboard call ${quote(first)} ${quote(`${key}=${second}`)}`
  throw usage(
    `"${second}" is not an argument.`,
    `Write arguments as key=value, or as one JSON object.${form}`,
  )
}
