import type { Json } from '../model/json.ts'
import type { Block } from '../model/result.ts'
import { cutMiddle, cutTo } from './cut.ts'
import type { Output } from './tool-output.ts'
import { toJsonText } from './render/blocks.ts'
import type { Spill } from './spill.ts'

export interface ResultLimits {
  /** Bytes of content that are let through at all; off when absent (B19). */
  readonly maxResultBytes?: number
  /** Bytes of text that a model gets (C26). */
  readonly maxModelBytes: number
}

export const defaultResultLimits: ResultLimits = { maxModelBytes: 50 * 1024 }

/** As much of the content as fits, in the order it came; a sentence says what is missing (B19). */
export function capContent(output: Output, maxBytes: number | undefined): Output {
  if (maxBytes === undefined) return output
  const { structured, ...rest } = output
  const extra = structured === undefined ? 0 : bytesOf(structured)
  const sizes = output.blocks.map(bytesOfBlock)
  const total = sizes.reduce((sum, size) => sum + size, extra)
  if (total <= maxBytes) return output
  const blocks: Block[] = []
  let room = maxBytes
  for (const [index, block] of output.blocks.entries()) {
    const size = sizes[index] ?? 0
    if (size > room) {
      if (room > 0 && isText(block)) blocks.push({ ...block, text: cutTo(block.text, room) })
      room = -1
      break
    }
    blocks.push(block)
    room -= size
  }
  const text = `[The result was cut: it has ${total} bytes, and no more than ${maxBytes} are let through.]`
  return {
    ...rest,
    ...(structured !== undefined && extra <= room && { structured }),
    blocks: [...blocks, { type: 'text', text }],
  }
}

function isText(block: Block): block is Block & { readonly text: string } {
  return block.type === 'text' && typeof block['text'] === 'string'
}

function bytesOfBlock(block: Block): number {
  return isText(block) ? Buffer.byteLength(block.text) : bytesOf(block)
}

function bytesOf(value: Json): number {
  return Buffer.byteLength(toJsonText(value))
}

export interface Fitted {
  readonly text: string
  readonly spilled?: { readonly path: string; readonly bytes: number }
}

/** Whether a text is short enough for a model without being measured: no UTF-16 unit takes more than three bytes. */
export function isShort(text: string, { maxModelBytes }: Pick<ResultLimits, 'maxModelBytes'>): boolean {
  return text.length * 3 <= maxModelBytes
}

/** Text that a model can take. What is longer is kept whole in a private file, and its beginning and end are shown. */
export async function fitForModel(
  text: string,
  { maxModelBytes }: Pick<ResultLimits, 'maxModelBytes'>,
  spill?: Spill,
): Promise<Fitted> {
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxModelBytes) return { text }
  const path = await spill?.(text)
  const place = path === undefined ? 'The rest was not kept.' : `All of it is in the file ${path}`
  const notice = `[The result has ${bytes} bytes; its middle is left out here. ${place}]`
  return {
    text: cutMiddle(text, maxModelBytes, notice),
    ...(path !== undefined && { spilled: { path, bytes } }),
  }
}
