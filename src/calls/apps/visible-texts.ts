/** More text is not looked at: what follows it is not scanned either. */
const maxTexts = 64 * 1024

/** Attributes whose value a person reads. */
const shownAttributes = /\s(?:title|alt|placeholder|aria-label|content)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi

/**
 * The texts of an HTML document that a person reads: text outside of scripts and styles, and a few attributes. One pass from
 * left to right without a parser: what it gives is scanned, never shown.
 */
export function visibleTexts(html: string): string {
  const texts: string[] = []
  let length = 0
  for (const text of textsOf(html)) {
    const words = text.slice(0, maxTexts).replaceAll(/\s+/g, ' ').trim()
    if (words === '') continue
    texts.push(words)
    length += words.length
    if (length >= maxTexts) break
  }
  return texts.join('\n\n').slice(0, maxTexts)
}

function* textsOf(html: string): Generator<string, undefined> {
  let at = 0
  while (at < html.length) {
    const open = html.indexOf('<', at)
    yield html.slice(at, open < 0 ? undefined : open)
    if (open < 0) return
    if (html.startsWith('<!--', open)) {
      const end = html.indexOf('-->', open)
      at = end < 0 ? html.length : end + 3
      continue
    }
    const close = html.indexOf('>', open)
    if (close < 0) return
    const tag = html.slice(open, Math.min(close + 1, open + 4096))
    for (const [, double, single] of tag.matchAll(shownAttributes)) yield double ?? single ?? ''
    at = close + 1
    const [, raw] = /^<(script|style|template)\b/i.exec(tag) ?? []
    if (raw !== undefined) at = endOf(html, raw, at)
  }
}

/** The end of an element whose content is not read. */
function endOf(html: string, name: string, from: number): number {
  const end = new RegExp(`</${name}`, 'gi')
  end.lastIndex = from
  const found = end.exec(html)
  return found ? found.index : html.length
}
