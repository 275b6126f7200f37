import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { blockTypeOf, isBlock } from '../../model/result.ts'
import type { Block, BlockType } from '../../model/result.ts'

/** Renders one block as text. Binary content becomes a placeholder with its type and size; no block is dropped (D-10). */
export function renderBlock(block: Block): string {
  return renderers[blockTypeOf(block)](block)
}

const renderers: { readonly [T in BlockType | 'other']: (block: Block) => string } = {
  text: (block) => (isBlock(block, 'text') ? block.text : toJsonText(block)),
  image: renderMedia,
  audio: renderMedia,
  resource: renderResource,
  resource_link: renderLink,
  other: toJsonText,
}

/** `[image: image/png, 1234 bytes]` */
export function renderMedia({ type, mimeType, data }: Block): string {
  return placeholder(type, [field(mimeType) || 'unknown type', sizeOf(data)])
}

function renderResource(block: Block): string {
  const { resource } = block
  if (!isObject(resource)) return toJsonText(block)
  const { text, uri, mimeType, blob } = resource
  if (typeof text === 'string') return text
  return placeholder('resource', [field(uri), field(mimeType), sizeOf(blob)])
}

function renderLink({ name, title, uri, mimeType, size, description }: Block): string {
  const bytes = typeof size === 'number' ? `${size} bytes` : ''
  const named = [nameOf(name, title), field(uri)].filter(Boolean).join(' ')
  const link = placeholder('resource link', [named, field(mimeType), bytes])
  const text = field(description)
  return text ? `${link} ${text}` : link
}

function nameOf(name: Json | undefined, title: Json | undefined): string {
  const [plain, shown] = [field(name), field(title)]
  return shown && plain && shown !== plain ? `${shown} (${plain})` : shown || plain
}

export function placeholder(kind: string, parts: readonly string[]): string {
  return `[${kind}: ${parts.filter(Boolean).join(', ')}]`
}

export function sizeOf(base64: Json | undefined): string {
  return typeof base64 === 'string' ? `${Buffer.byteLength(base64, 'base64')} bytes` : ''
}

const maxField = 500

/** A short text of a server, such as a name: on one line and of limited length. */
export function field(value: Json | undefined): string {
  if (typeof value !== 'string') return ''
  const short = value.length > maxField ? `${value.slice(0, maxField)}…` : value
  return short.replace(/\s+/g, ' ').trim()
}

export function resourceOf(block: Block): JsonObject {
  return isObject(block['resource']) ? block['resource'] : {}
}

/** Compact JSON; a notice for a value that is nested too deep to be serialized. */
export function toJsonText(value: Json): string {
  try {
    return JSON.stringify(value)
  } catch {
    return '"(nested too deep to be shown)"'
  }
}
