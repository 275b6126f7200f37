import { isObject } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import { blockTypeOf } from '../model/result.ts'
import type { Block, BlockType, CallResult } from '../model/result.ts'

export interface Image {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  /** Base64. */
  readonly data: string
}

/** In characters of base64. Providers reject a request with a larger image, and each request repeats the conversation. */
const maxLength = 5 * 1024 * 1024
const maxImages = 20

/** The images of a result that every provider accepts. The result's text mentions all images. */
export function imagesOf({ blocks }: Pick<CallResult, 'blocks'>): readonly Image[] {
  return blocks.flatMap(toImage).slice(0, maxImages)
}

function toImage(block: Block): readonly Image[] {
  const data = dataOf(block)
  if (typeof data !== 'string' || data.length > maxLength || !isBase64(data)) return []
  const mediaType = mediaTypeOf(data)
  return mediaType ? [{ mediaType, data }] : []
}

function dataOf(block: Block): Json | undefined {
  return imageData[blockTypeOf(block)](block)
}

const none = () => undefined
const imageData: { readonly [T in BlockType | 'other']: (block: Block) => Json | undefined } = {
  text: none,
  image: ({ data }) => data,
  audio: none,
  resource: ({ resource }) => (isObject(resource) ? resource['blob'] : undefined),
  resource_link: none,
  other: none,
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text)
}

/** Detected from the first bytes: servers declare wrong types, and providers reject an image whose type is wrong. */
function mediaTypeOf(data: string): Image['mediaType'] | undefined {
  if (data.startsWith('iVBORw0KGgo')) return 'image/png'
  if (data.startsWith('/9j/')) return 'image/jpeg'
  if (data.startsWith('R0lGOD')) return 'image/gif'
  return data.startsWith('UklGR') && atob(data.slice(0, 16)).endsWith('WEBP') ? 'image/webp' : undefined
}
