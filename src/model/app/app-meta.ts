import { isList, isObject } from '../json.ts'
import type { Json, JsonObject } from '../json.ts'
import type { ToolDefinition } from '../tool.ts'

/** The identifier of the extension MCP Apps. */
const appExtension = 'io.modelcontextprotocol/ui'

/** The only type that the document of an app has. */
export const appMimeType = 'text/html;profile=mcp-app'

/** What a host that can show apps declares to servers. */
export const appCapability: JsonObject = { extensions: { [appExtension]: { mimeTypes: [appMimeType] } } }

/** Longer addresses are ignored. */
const maxAddress = 2048

/**
 * The address of the app that shows results of a tool. The nested key wins over the flat one, which older servers write. A value
 * that cannot be used costs the tool its app and nothing else.
 */
export function appAddressOf({ _meta: meta }: ToolDefinition): string | undefined {
  if (!isObject(meta)) return undefined
  const { ui, 'ui/resourceUri': flat } = meta
  const nested = isObject(ui) ? ui['resourceUri'] : undefined
  return [nested ?? flat].find(isAppAddress)
}

function isAppAddress(value: Json | undefined): value is string {
  return typeof value === 'string' && /^ui:\/\/[^\s\p{Cc}]+$/u.test(value) && value.length <= maxAddress
}

/** Whether an app of the same server may call the tool: `app` is among its visibility, or it has none. */
export function isForApps({ _meta: meta }: ToolDefinition): boolean {
  if (!isObject(meta)) return true
  const { ui, 'ui/visibility': flat } = meta
  const visibility = (isObject(ui) ? ui['visibility'] : undefined) ?? flat
  return visibility === undefined || (isList(visibility) && visibility.includes('app'))
}
