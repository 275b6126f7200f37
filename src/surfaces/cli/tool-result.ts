import type { Json, JsonObject } from '../../index.ts'

/** What a tool answered, for reading: texts as they are, everything else named. `--json` has it whole. */
export function drawResult(result: Json): string {
  const { content, structuredContent } = fieldsOf(result)
  const blocks = Array.isArray(content) ? content.map((block: Json) => drawBlock(fieldsOf(block))) : []
  if (blocks.length > 0) return blocks.join('\n')
  return JSON.stringify(structuredContent ?? result, undefined, 2)
}

/** The tool did its work, and says that it did not succeed. */
export function isFailed(result: Json): boolean {
  return fieldsOf(result)['isError'] === true
}

function drawBlock(block: JsonObject): string {
  const { type, text, data, mimeType, uri, resource } = block
  if (type === 'text' && typeof text === 'string') return text
  if (type === 'resource') return drawResource(fieldsOf(resource))
  const details = [
    textOf(type) || 'something unknown',
    textOf(mimeType),
    textOf(uri),
    typeof data === 'string' ? `${bytesOf(data)} bytes` : '',
  ]
  return `[${details.filter(Boolean).join(', ')}]`
}

function drawResource({ text, uri, mimeType, blob }: JsonObject): string {
  if (typeof text === 'string') return text
  const size = typeof blob === 'string' ? `${bytesOf(blob)} bytes` : ''
  return `[${['resource', textOf(mimeType), textOf(uri), size].filter(Boolean).join(', ')}]`
}

function bytesOf(base64: string): number {
  return Buffer.byteLength(base64, 'base64')
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function fieldsOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {}
}
