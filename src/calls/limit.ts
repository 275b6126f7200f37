import { removeHidden } from '../model/hidden.ts'
import type { Json } from '../model/json.ts'
import { isBlock } from '../model/result.ts'
import type { Block } from '../model/result.ts'
import type { Output } from './tool-output.ts'
import { toJsonText } from './render/blocks.ts'
import type { Spill } from './spill.ts'

export interface ResultLimits {
  /** Maximum bytes of content; no limit when absent (B19). */
  readonly maxResultBytes?: number
  /** Maximum bytes of text for a model (C26). */
  readonly maxModelBytes: number
}

export const defaultResultLimits: ResultLimits = { maxModelBytes: 50 * 1024 }

/** Keeps the first blocks that fit into the limit, and appends a notice if content is missing (B19). */
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
      if (room > 0 && isBlock(block, 'text')) blocks.push({ ...block, text: cutTo(block.text, room) })
      room = -1
      break
    }
    blocks.push(block)
    room -= size
  }
  const text = `[The result was cut: it has ${total} bytes, and the limit is ${maxBytes}.]`
  return {
    ...rest,
    ...(structured !== undefined && extra <= room && { structured }),
    blocks: [...blocks, { type: 'text', text }],
  }
}

function bytesOfBlock(block: Block): number {
  return isBlock(block, 'text') ? Buffer.byteLength(block.text) : bytesOf(block)
}

function bytesOf(value: Json): number {
  return Buffer.byteLength(toJsonText(value))
}

/** The text of a result within the limit for a model, and the file with the whole text if it was cut. */
export interface ModelText {
  readonly text: string
  readonly spilled?: { readonly path: string; readonly bytes: number }
  /** It was cut, and no file has the rest. */
  readonly isIncomplete?: boolean
}

/** Whether a text fits for certain, without encoding it: a UTF-16 unit takes at most three bytes. */
export function isShort(text: string, { maxModelBytes }: Pick<ResultLimits, 'maxModelBytes'>): boolean {
  return text.length * 3 <= maxModelBytes
}

/** Limits a text for a model. A longer text is written to a private file; the model gets its beginning and end. */
export async function fitForModel(
  text: string,
  { maxModelBytes }: Pick<ResultLimits, 'maxModelBytes'>,
  spill?: Spill,
): Promise<ModelText> {
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxModelBytes) return { text }
  const path = await spill?.(text)
  const place = path === undefined ? 'The rest was not kept.' : `The whole result is in the file ${path}`
  const notice = `[The result has ${bytes} bytes; its middle is omitted here. ${place}]`
  return {
    text: cutMiddle(text, maxModelBytes, notice),
    ...(path === undefined ? { isIncomplete: true } : { spilled: { path, bytes } }),
  }
}

/** The beginning of a text in at most `maxBytes` of UTF-8; never ends within a character. */
export function cutTo(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= maxBytes ? text : headOf(bytes, maxBytes)
}

/** The beginning and the end of a text around a notice, in at most `maxBytes`; only the notice if there is no room. */
function cutMiddle(text: string, maxBytes: number, notice: string): string {
  const bytes = Buffer.from(text)
  const room = maxBytes - Buffer.byteLength(notice) - '\n\n\n\n'.length
  if (room <= 0) return notice
  const tailBytes = Math.floor(room / 3)
  const head = atLineEnd(headOf(bytes, room - tailBytes))
  const tail = atLineStart(tailOf(bytes, tailBytes))
  // A cut may leave the invisible part of a character sequence, such as a joiner without its emoji.
  return `${removeHidden(head).text}\n\n${notice}\n\n${removeHidden(tail).text}`
}

function headOf(bytes: Buffer, maxBytes: number): string {
  let end = Math.max(maxBytes, 0)
  while (end > 0 && isContinuation(bytes[end])) end--
  return bytes.toString('utf8', 0, end)
}

function tailOf(bytes: Buffer, maxBytes: number): string {
  let start = bytes.length - maxBytes
  while (start < bytes.length && isContinuation(bytes[start])) start++
  return bytes.toString('utf8', start)
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}

/** Ends the text at a line end if that drops less than a tenth of it. */
function atLineEnd(head: string): string {
  const end = head.lastIndexOf('\n')
  return end > head.length * 0.9 ? head.slice(0, end) : head
}

function atLineStart(tail: string): string {
  const start = tail.indexOf('\n')
  return start >= 0 && start < tail.length * 0.1 ? tail.slice(start + 1) : tail
}
