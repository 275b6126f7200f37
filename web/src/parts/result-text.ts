import type { ResultFacts } from '../../../src/client.ts'
import type { Json } from '../../../src/model/json.ts'

type Block = ResultFacts['blocks'][number]

/** The beginning and the end of a long text. */
export interface CutText {
  readonly head: string
  /** What is between; absent if everything is shown. */
  readonly hidden?: { readonly lines: number; readonly characters: number }
  readonly tail: string
}

const headLines = 40
const tailLines = 10
/** One line may be the whole text, so that characters are limited too. */
const headLength = 8000
const tailLength = 2000

export function cutLong(text: string): CutText {
  const lines = text.split('\n')
  if (lines.length <= headLines + tailLines && text.length <= headLength + tailLength) {
    return { head: text, tail: '' }
  }
  const isManyLines = lines.length > headLines + tailLines
  const head = (isManyLines ? lines.slice(0, headLines).join('\n') : text).slice(0, headLength)
  const rest = isManyLines ? lines.slice(-tailLines).join('\n') : text
  const tail = rest.slice(Math.max(rest.length - tailLength, isManyLines ? 0 : head.length))
  const hidden = text.slice(head.length, text.length - tail.length)
  return {
    head,
    hidden: { lines: Math.max(hidden.split('\n').length - 2, 0), characters: hidden.length },
    tail,
  }
}

/** The beginning and end of a block. Of a very long text the API sends no more than these. */
export function cutBlock({ text = '', tail, length = text.length }: Block): CutText {
  if (tail === undefined) return cutLong(text)
  const head = text.split('\n').slice(0, headLines).join('\n').slice(0, headLength)
  const end = tail.split('\n').slice(-tailLines).join('\n').slice(-tailLength)
  return { head, hidden: { lines: 0, characters: length - head.length - end.length }, tail: end }
}

/** What a tree shows of a result: its structured content, else the first text that is JSON. */
export function treeOf({ structured, blocks }: ResultFacts): Json | undefined {
  if (structured !== undefined) return structured as Json // the API sends JSON
  for (const { text, isCut } of blocks) {
    if (text === undefined || isCut || !/^\s*[[{]/.test(text)) continue
    try {
      return JSON.parse(text) as Json // the result of JSON.parse
    } catch {
      continue
    }
  }
  return undefined
}

/** The result as JSON, without the bytes of images. */
export function rawOf(result: ResultFacts): string {
  const blocks = result.blocks.map(({ data, ...rest }) =>
    data === undefined ? rest : { ...rest, data: `${data.length} characters of base64` },
  )
  return JSON.stringify({ ...result, blocks }, null, 2)
}

/** Images that a page may draw: no SVG, which is a document. */
export function isPicture(block: Block): boolean {
  return /^image\/(?:png|jpeg|gif|webp|avif|bmp)$/i.test(block.mimeType ?? '') && block.data !== undefined
}

export function isSound(block: Block): boolean {
  return /^audio\/[\w.+-]+$/i.test(block.mimeType ?? '') && block.data !== undefined
}

/** Only these addresses become links; others are shown as text. */
export function isOpenable(address: string): boolean {
  return /^(?:https?:\/\/|mailto:)[^\s]+$/i.test(address)
}

/** A name for a saved file: from the tool and the kind of content. */
export function fileName(base: string, mimeType: string | undefined): string {
  const safe = base.replaceAll(/[^\w.-]+/g, '_').slice(0, 60) || 'result'
  return `${safe}.${endings[(mimeType ?? '').toLowerCase()] ?? (/^(?:image|audio)\/[a-z0-9]+$/i.test(mimeType ?? '') ? mimeType!.split('/')[1] : 'txt')}`
}

const endings: Readonly<Record<string, string | undefined>> = {
  'application/json': 'json',
  'image/jpeg': 'jpg',
  'image/svg+xml': 'svg',
  'audio/mpeg': 'mp3',
  'application/pdf': 'pdf',
  'text/html': 'html.txt',
  'text/markdown': 'md',
}
