/** A word, name, path, address or mark of a text. */
export interface Token {
  /** In lower case. */
  readonly text: string
  readonly kind: 'word' | 'name' | 'path' | 'url' | 'email' | 'mark'
  readonly start: number
  readonly end: number
}

const chunk = /[^\s"“”`<>()[\]{},;|*]+|[,;:()"“”`]/g
const trailing = /[.!?:'’…]+$/
const leading = /^['‘’.…-]+(?=[\p{L}\p{N}])/u

/** Splits a sentence into tokens. Each character is looked at a bounded number of times. */
export function tokenize(text: string, offset = 0): readonly Token[] {
  const tokens: Token[] = []
  for (const match of text.matchAll(chunk)) {
    const raw = match[0]
    const start = offset + match.index
    if (raw.length === 1 && /[,;:()"“”`]/.test(raw)) {
      tokens.push({ text: raw, kind: 'mark', start, end: start + 1 })
      continue
    }
    addChunk(raw, start, tokens)
  }
  return tokens
}

function addChunk(raw: string, start: number, tokens: Token[]): void {
  const isDotPath = /^\.[A-Za-z~/.]/.test(raw)
  const from = isDotPath ? 0 : (leading.exec(raw)?.[0].length ?? 0)
  const tail = trailing.exec(raw)?.[0] ?? ''
  const body = raw.slice(from, raw.length - tail.length)
  if (body !== '') {
    const kind = kindOf(body)
    if (kind === 'word' && /[-/–—]/.test(body)) addParts(body, start + from, tokens)
    else
      tokens.push({
        text: body.toLowerCase().replaceAll('’', "'"),
        kind,
        start: start + from,
        end: start + from + body.length,
      })
  }
  if (/[:!?]/.test(tail))
    tokens.push({ text: ':', kind: 'mark', start: start + raw.length - 1, end: start + raw.length })
}

/** `read/write`, `one-time`, `this—and`: each part is a word. */
function addParts(body: string, start: number, tokens: Token[]): void {
  for (const match of body.matchAll(/[^-/–—]+|[–—]/g)) {
    const at = start + match.index
    const isDash = /^[–—]/.test(match[0])
    tokens.push({
      text: match[0].toLowerCase(),
      kind: isDash ? 'mark' : 'word',
      start: at,
      end: at + match[0].length,
    })
  }
}

function kindOf(body: string): Token['kind'] {
  if (/^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(body) || /^www\./i.test(body)) return 'url'
  if (/^[^@/]{1,64}@[\w.-]{1,128}\.\w/.test(body)) return 'email'
  if (/^(?:~|\.{0,2}\/|[A-Za-z]:\\|%\w{1,20}%|\$\w{1,20}\/)/.test(body) || /^\.[A-Za-z]/.test(body))
    return 'path'
  if (/[\w.-]\/[\w.-]/.test(body) && /[._~$]|\/.{0,200}\//.test(body)) return 'path'
  return /_|[a-z][A-Z]|\d[A-Za-z]|[A-Za-z]\d|\w\.\w/.test(body) ? 'name' : 'word'
}
