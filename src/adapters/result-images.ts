import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { Block, CallResult } from '../model/result.ts'

export interface Image {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  /** Base64. */
  readonly data: string
}

/** Of base64; providers refuse a request with a larger one, and the request is the whole conversation. */
const maxLength = 5 * 1024 * 1024
const maxImages = 20

/** The images of a result that every provider takes; the text names all of them. */
export function imagesOf({ blocks }: Pick<CallResult, 'blocks'>): readonly Image[] {
  return blocks.flatMap(toImage).slice(0, maxImages)
}

function toImage(block: Block): readonly Image[] {
  const data = dataOf(block)
  if (typeof data !== 'string' || data.length > maxLength || !isBase64(data)) return []
  const mediaType = mediaTypeOf(data)
  return mediaType ? [{ mediaType, data }] : []
}

function dataOf({ type, data, resource }: Block): Json | undefined {
  if (type === 'image') return data
  return type === 'resource' && isObject(resource) ? resource['blob'] : undefined
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)
}

/** By its first bytes: providers refuse an image that is not what it is said to be, and servers say many things. */
function mediaTypeOf(data: string): Image['mediaType'] | undefined {
  if (data.startsWith('iVBORw0KGgo')) return 'image/png'
  if (data.startsWith('/9j/')) return 'image/jpeg'
  if (data.startsWith('R0lGOD')) return 'image/gif'
  return data.startsWith('UklGR') && atob(data.slice(0, 16)).endsWith('WEBP') ? 'image/webp' : undefined
}
