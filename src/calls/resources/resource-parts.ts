import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Block } from '../../model/result.ts'
import type { Output } from '../tool-output.ts'
import type { ResourcePart } from '../view/view.ts'

/** A part as its server sent it. */
export type ReceivedPart = WithoutFindings<ResourcePart>
// Distributes over the kinds of parts, which `Omit` alone would join.
type WithoutFindings<Part> = Part extends ResourcePart ? Omit<Part, 'findings'> : never

export const maxResourceBytes = 10 * 1024 * 1024

/** Reads a `resources/read` response. A part that does not fit into the limit of all parts becomes `too-large`. */
export function readResourceParts(
  result: Json,
  { uri, maxBytes = maxResourceBytes }: { readonly uri: string; readonly maxBytes?: number },
): readonly ReceivedPart[] {
  const contents = isObject(result) ? result['contents'] : undefined
  const items = Array.isArray(contents) ? (contents as readonly Json[]) : [] // isArray does not narrow a readonly union
  let room = maxBytes
  return items.filter(isObject).map((item) => {
    const part = toPart(item, uri)
    if (part.bytes > room) return { ...baseOf(item, uri), bytes: part.bytes, kind: 'too-large' }
    room -= part.bytes
    return part
  })
}

function toPart(item: JsonObject, uri: string): ReceivedPart {
  const { text, blob } = item
  const base = baseOf(item, uri)
  if (typeof text === 'string') return { ...base, kind: 'text', text, bytes: Buffer.byteLength(text) }
  if (typeof blob === 'string')
    return { ...base, kind: 'blob', blob, bytes: Buffer.byteLength(blob, 'base64') }
  return { ...base, kind: 'empty', bytes: 0 }
}

function baseOf(item: JsonObject, uri: string): { readonly uri: string; readonly mimeType?: string } {
  const { uri: own, mimeType } = item
  return {
    uri: typeof own === 'string' ? own : uri,
    ...(typeof mimeType === 'string' && { mimeType }),
  }
}

/** The parts as blocks of a result, to be limited and rendered like those of a tool. */
export function toResourceOutput(parts: readonly ReceivedPart[]): Output {
  return { blocks: parts.map(toBlock), failed: false }
}

function toBlock({ kind, bytes, ...resource }: ReceivedPart): Block {
  if (kind !== 'too-large') return { type: 'resource', resource }
  const { uri } = resource
  return { type: 'text', text: `[resource: ${uri}, ${bytes} bytes: too large to read]` }
}
