/** What ECMA-262 takes for a space, for within a class. A range comes last: a `-` that follows is then itself. */
const spaces = String.raw`\t-\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff\u2000-\u200a`
/** Everything else: a class within a class cannot say "not". */
const others = [
  String.raw`\x00-\x08\x0e-\x1f!-\x9f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e`,
  String.raw`\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\u{10ffff}`,
].join('')

/** Two halves of a character, an escape, a named class of POSIX, or a sign that means something. */
const parts = /\\u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|\\[^]|\[:\^?[a-z]+:\]|[[\].]/gi

/**
 * The pattern with everything spelled out that RE2 reads in another way than ECMA-262, which JSON Schema goes by: there
 * are more spaces than those of ASCII, and lines end in more ways than one.
 */
export function toRe2Pattern(pattern: string): string {
  let inClass = false
  // Flags are of another dialect, or change what a dot is.
  const dot = /\(\?[a-z-]+[:)]/i.test(pattern) ? '.' : String.raw`[^\n\r\u2028\u2029]`
  return pattern.replace(parts, (part, high?: string, low?: string) => {
    if (high !== undefined && low !== undefined) return joined(high, low)
    if (part === '[') inClass = true
    if (part === ']') inClass = false
    if (part === '.') return inClass ? part : dot
    if (part === String.raw`\s`) return inClass ? spaces : `[${spaces}]`
    if (part === String.raw`\S`) return inClass ? others : `[${others}]`
    if (part === String.raw`\b` && inClass) return String.raw`\x08`
    // It would be read as a plain letter.
    if (part === String.raw`\k`) throw new Error('It repeats what it found.')
    return part
  })
}

function joined(high: string, low: string): string {
  const code = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0) ?? 0
  return String.raw`\u{${code.toString(16)}}`
}
