import type { Token } from 'marked'
import type { Span } from './painted-lines.ts'
import type { Paint, Style } from './style.ts'

const asIs: Paint = (text) => text
const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
}

/**
 * The inline parts of Markdown as spans. The address of a link is always shown beside its text, so that no text can hide
 * where it leads (T19); nothing is made clickable here. HTML stays text.
 */
export function toSpans(
  tokens: readonly Token[],
  style: Style,
  outer: Paint = asIs,
  depth = 0,
): readonly Span[] {
  if (depth > maxDepth) return tokens.map(({ raw }) => ({ text: raw, paint: outer }))
  const inside = (token: Token, paint: Paint = asIs): readonly Span[] =>
    toSpans(childrenOf(token), style, (text) => outer(paint(text)), depth + 1)
  return tokens.flatMap((token): readonly Span[] => {
    const span = (text: string, paint: Paint = asIs) => ({
      text,
      paint: (part: string) => outer(paint(part)),
    })
    switch (token.type) {
      case 'strong':
        return inside(token, style.bold)
      case 'em':
        return inside(token, style.italic)
      case 'del':
        return [span('~~'), ...inside(token), span('~~')]
      case 'codespan':
        return [span(style.enabled ? textOf(token) : token.raw, style.cyan)]
      case 'br':
        return [span('\n')]
      case 'checkbox':
        return []
      case 'link':
        return [...inside(token), ...addressOf(token).map((text) => span(text, style.dim))]
      case 'image':
        return [
          span(`[image${textOf(token) === '' ? '' : `: ${textOf(token)}`}]`),
          ...addressOf(token).map((text) => span(text, style.dim)),
        ]
      case 'html':
        return [span(token.raw)]
      default:
        return childrenOf(token).length > 0 ? inside(token) : [span(decodeEntities(textOf(token)))]
    }
  })
}

const maxDepth = 12

/** The address in brackets, unless the text of the link is just that address. */
function addressOf(token: Token): readonly string[] {
  const href = 'href' in token && typeof token.href === 'string' ? token.href : ''
  const text = textOf(token)
  const isShown = token.type === 'link' && [href, href.replace(/^(?:mailto:|https?:\/\/)/, '')].includes(text)
  return href === '' || isShown ? [] : [` (${href})`]
}

export function childrenOf(token: Token): readonly Token[] {
  return 'tokens' in token && Array.isArray(token.tokens) ? token.tokens : []
}

export function textOf(token: Token): string {
  return 'text' in token && typeof token.text === 'string' ? token.text : token.raw
}

export function decodeEntities(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39|nbsp);/g, (entity) => entities[entity] ?? entity)
}
