/** A part of a text. */
export interface Segment {
  readonly text: string
  readonly start: number
}

/** Abbreviations whose point ends no sentence. */
const abbreviation = /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|fig|dr|mr|ms|inc)\.$/i
/** A sentence is examined in pieces of this length, so that no rule meets a longer text. */
const maxLength = 1200

/**
 * Splits a text into sentences. A line end splits before a capital letter or a bullet: authors wrap lines anywhere, and
 * an attacker may put every word on its own line.
 */
export function splitSentences(text: string): readonly Segment[] {
  const segments: Segment[] = []
  let start = 0
  const cut = (end: number) => {
    for (let from = start; from < end; from += maxLength) {
      const piece = text.slice(from, Math.min(end, from + maxLength))
      if (/[\p{L}\p{N}]/u.test(piece)) segments.push({ text: piece, start: from })
    }
    start = end
  }
  for (const match of text.matchAll(
    /[.!?…。！？]+(?=\s|$|["'”’)*_])|[;\n]|#{2,6}(?=\s)|<\/?[A-Za-z][^<>\n]{0,60}>/g,
  )) {
    const end = match.index + match[0].length
    if (match[0].startsWith('<')) {
      cut(match.index)
      cut(end)
    } else if (match[0] === '\n') {
      if (endsAtLine(text, start, match.index, end)) cut(end)
    } else if (!(match[0] === '.' && abbreviation.test(text.slice(Math.max(start, end - 8), end)))) cut(end)
  }
  cut(text.length)
  return segments
}

function endsAtLine(text: string, start: number, at: number, end: number): boolean {
  const next = text.slice(end, end + 12)
  if (/^\s*\n|^\s{0,8}(?:[-*•#>]|\d{1,2}[.)])/.test(next)) return true
  if (!/^\s{0,8}[\p{Lu}"'`*_[]/u.test(next)) return false
  // Short lines of capitalized words may be one sentence, a word a line.
  const line = text.slice(Math.max(start, at - 40), at).trim()
  return line.length > 14 || /[:.]$/.test(line)
}
