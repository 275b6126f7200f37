import { removeHidden } from '../model/hidden.ts'

/** The beginning of a text in at most so many bytes of UTF-8, never with half a character. */
export function cutTo(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text)
  return bytes.length <= maxBytes ? text : headOf(bytes, maxBytes)
}

/** The beginning and the end of a text around a notice, in at most so many bytes, or the notice alone. */
export function cutMiddle(text: string, maxBytes: number, notice: string): string {
  const bytes = Buffer.from(text)
  const room = maxBytes - Buffer.byteLength(notice) - '\n\n\n\n'.length
  if (room <= 0) return notice
  const tailBytes = Math.floor(room / 3)
  const head = atLineEnd(headOf(bytes, room - tailBytes))
  const tail = atLineStart(tailOf(bytes, tailBytes))
  // A cut may leave the invisible half of a character behind.
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

/** Whole lines read better, where that costs little. */
function atLineEnd(head: string): string {
  const end = head.lastIndexOf('\n')
  return end > head.length * 0.9 ? head.slice(0, end) : head
}

function atLineStart(tail: string): string {
  const start = tail.indexOf('\n')
  return start >= 0 && start < tail.length * 0.1 ? tail.slice(start + 1) : tail
}
