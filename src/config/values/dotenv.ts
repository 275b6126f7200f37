/** Parses an envFile: lines of `NAME=value`, with optional `export`, quotes and comments. Values are not expanded. */
export function parseDotenv(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = Object.create(null)
  for (const [, name, raw] of text.replaceAll('\r\n', '\n').matchAll(line)) {
    if (name !== undefined) found[name] = unquote((raw ?? '').trim())
  }
  return found
}

/** A quoted value may span several lines; a bare one ends at a comment. */
const line =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][\w.-]*)[ \t]*=[ \t]*("(?:\\.|[^"\\])*"|'[^']*'|`[^`]*`|(?:[^#\n]|(?<![ \t])#)*)/gm

function unquote(value: string): string {
  const quote = value[0]
  if (value.length < 2 || quote === undefined || !'"\'`'.includes(quote) || !value.endsWith(quote))
    return value
  const inner = value.slice(1, -1)
  if (quote !== '"') return inner
  return inner.replace(/\\(.)/gs, (_, char: string) => ({ n: '\n', r: '\r', t: '\t' })[char] ?? char)
}
