import type { Token, Tokens } from 'marked'
import { escapeText } from '../../../../src/surfaces/terminal/escape.ts'
import { lexBlocks, lexMarkdown } from '../../../../src/surfaces/terminal/lex-markdown.ts'
import { childrenOf, decodeEntities, textOf } from '../../../../src/surfaces/terminal/markdown-inline.ts'

/** A part of a line, as data. */
export type InlineNode =
  | string
  | { readonly kind: 'strong' | 'em' | 'del'; readonly children: readonly InlineNode[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'break' }
  /** Without `href` it leads nowhere: its address is only shown. `address` is absent if the text is that address. */
  | {
      readonly kind: 'link'
      readonly children: readonly InlineNode[]
      readonly href?: string
      readonly address?: string
    }
  /** Never loaded: a link to it, with its host. */
  | { readonly kind: 'image'; readonly text: string; readonly href?: string; readonly host?: string }

export interface ListItem {
  readonly isChecked?: boolean
  readonly blocks: readonly BlockNode[]
}

/** A block, as data. */
export type BlockNode =
  | { readonly kind: 'paragraph'; readonly children: readonly InlineNode[] }
  | { readonly kind: 'heading'; readonly level: number; readonly children: readonly InlineNode[] }
  | { readonly kind: 'rule' }
  | { readonly kind: 'code'; readonly language: string; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly BlockNode[] }
  | { readonly kind: 'list'; readonly start?: number; readonly items: readonly ListItem[] }
  | {
      readonly kind: 'table'
      readonly header: readonly (readonly InlineNode[])[]
      readonly rows: readonly (readonly (readonly InlineNode[])[])[]
      readonly align: readonly (string | null)[]
    }
  /** Shown as it is, with its line ends. */
  | { readonly kind: 'plain'; readonly text: string }

const maxBlockDepth = 8
const maxInlineDepth = 12

/** The blocks of a Markdown text. One that is too long or nested too deeply to be parsed is shown as it is. */
export function readMarkdown(given: string): readonly BlockNode[] {
  // A result may dictate what the model says: hidden characters are shown, as in the texts of servers (T17).
  const text = escapeText(given.replaceAll(/\r\n?/g, '\n'))
  const tokens = lexMarkdown(text)
  return tokens ? toBlocks(tokens, 0) : [{ kind: 'plain', text }]
}

/** Reads a text that grows: blocks that are complete are read once, and stay the same objects. */
export class GrowingMarkdown {
  #text = ''
  #done: readonly BlockNode[] = []
  /** How much of the text the complete blocks take. */
  #length = 0

  read(given: string): readonly BlockNode[] {
    const text = escapeText(given.replaceAll(/\r\n?/g, '\n'))
    if (!text.startsWith(this.#text)) [this.#done, this.#length] = [[], 0]
    this.#text = text
    const open = text.slice(this.#length)
    const tokens = lexBlocks(open) ?? []
    const last = tokens.findLastIndex(({ type }) => type !== 'space')
    const complete = tokens
      .slice(0, Math.max(0, last))
      .map(({ raw }) => raw)
      .join('')
    if (complete === '' || !open.startsWith(complete)) return [...this.#done, ...readMarkdown(open)]
    this.#done = [...this.#done, ...readMarkdown(complete)]
    this.#length += complete.length
    return [...this.#done, ...readMarkdown(text.slice(this.#length))]
  }
}

function toBlocks(tokens: readonly Token[], depth: number): readonly BlockNode[] {
  return tokens.flatMap((token) => toBlock(token, depth))
}

function toBlock(token: Token, depth: number): readonly BlockNode[] {
  if (depth > maxBlockDepth) return [{ kind: 'plain', text: token.raw.trim() }]
  switch (token.type) {
    case 'space':
    case 'checkbox':
      return []
    case 'heading':
      return [{ kind: 'heading', level: Number(token['depth']), children: toInline(childrenOf(token)) }]
    case 'hr':
      return [{ kind: 'rule' }]
    case 'code':
      return [{ kind: 'code', language: languageOf(token), text: textOf(token) }]
    case 'blockquote':
      return [{ kind: 'quote', blocks: toBlocks(childrenOf(token), depth + 1) }]
    case 'list':
      return [toList(token as Tokens.List, depth)] // the type names the token
    case 'table':
      return [toTable(token as Tokens.Table)] // the type names the token
    case 'html':
    case 'def':
      return [{ kind: 'plain', text: token.raw.trim() }]
    default: {
      const children = childrenOf(token)
      const inline = children.length > 0 ? toInline(children) : [decodeEntities(textOf(token))]
      return [{ kind: 'paragraph', children: inline }]
    }
  }
}

function languageOf(token: Token): string {
  const language = 'lang' in token && typeof token.lang === 'string' ? token.lang : ''
  return language.trim().split(/\s/)[0]?.slice(0, 40) ?? ''
}

function toList({ ordered, start, items }: Tokens.List, depth: number): BlockNode {
  return {
    kind: 'list',
    ...(ordered && { start: typeof start === 'number' ? start : 1 }),
    items: items.map((item) => ({
      ...(item.task && { isChecked: item.checked === true }),
      blocks: toBlocks(childrenOf(item), depth + 1),
    })),
  }
}

function toTable({ header, rows, align }: Tokens.Table): BlockNode {
  return {
    kind: 'table',
    header: header.map(({ tokens }) => toInline(tokens)),
    rows: rows.map((cells) => header.map((_, at) => toInline(cells[at]?.tokens ?? []))),
    align,
  }
}

function toInline(tokens: readonly Token[], depth = 0): readonly InlineNode[] {
  if (depth > maxInlineDepth) return tokens.map(({ raw }) => raw)
  const inside = (token: Token) => toInline(childrenOf(token), depth + 1)
  return tokens.flatMap((token): readonly InlineNode[] => {
    switch (token.type) {
      case 'strong':
      case 'em':
      case 'del':
        return [{ kind: token.type, children: inside(token) }]
      case 'codespan':
        return [{ kind: 'code', text: textOf(token) }]
      case 'br':
        return [{ kind: 'break' }]
      case 'checkbox':
        return []
      case 'link':
        return [toLink(token, inside(token))]
      case 'image':
        return [toImage(token)]
      case 'html':
        return [token.raw]
      default:
        return childrenOf(token).length > 0 ? inside(token) : [decodeEntities(textOf(token))]
    }
  })
}

const openable: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])

function toLink(token: Token, children: readonly InlineNode[]): InlineNode {
  const url = addressOf(token)
  if (!url) return { kind: 'link', children, address: givenAddress(token) }
  const text = textOf(token)
  const isShown = [url.href, url.href.replace(/\/$/, ''), url.href.replace(/^mailto:/, '')].includes(text)
  return { kind: 'link', children, href: url.href, ...(!isShown && { address: url.href }) }
}

function toImage(token: Token): InlineNode {
  const url = addressOf(token)
  const text = textOf(token)
  return { kind: 'image', text, ...(url && { href: url.href, host: url.host }) }
}

/** The whole address as a browser would open it (T19); `undefined` if it must not be opened from here. */
function addressOf(token: Token): URL | undefined {
  const given = givenAddress(token)
  const url = URL.canParse(given) ? new URL(given) : undefined
  return url && openable.has(url.protocol) ? url : undefined
}

function givenAddress(token: Token): string {
  return 'href' in token && typeof token.href === 'string' ? token.href : ''
}
