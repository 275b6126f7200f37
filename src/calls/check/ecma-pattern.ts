/** The white space of ECMA-262 for use in a character class. A range comes last, so that a `-` after it stays literal. */
const spaces = String.raw`\t-\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff\u2000-\u200a`
/** Every other character: a negated class cannot stand inside a class. */
const nonSpaces = [
  String.raw`\x00-\x08\x0e-\x1f!-\x9f\u00a1-\u167f\u1681-\u1fff\u200b-\u2027\u202a-\u202e`,
  String.raw`\u2030-\u205e\u2060-\u2fff\u3001-\ufefe\uff00-\u{10ffff}`,
].join('')

/** A surrogate pair of escapes, an escape, a POSIX class, or a metacharacter. */
const parts = /\\u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|\\[^]|\[:\^?[a-z]+:\]|[[\].]/gi

/**
 * Translates a pattern of ECMA-262, which JSON Schema uses, to RE2. Where the two differ, the ECMA-262 meaning is written
 * out: `\s` covers more than ASCII spaces, and `.` excludes every line terminator.
 */
export function toRe2Pattern(pattern: string): string {
  let inClass = false
  // Inline flags come from another dialect and may change the meaning of a dot.
  const dot = /\(\?[a-z-]+[:)]/i.test(pattern) ? '.' : String.raw`[^\n\r\u2028\u2029]`
  return pattern.replace(parts, (part, high?: string, low?: string) => {
    if (high !== undefined && low !== undefined) return toCodePointEscape(high, low)
    if (part === '[') inClass = true
    if (part === ']') inClass = false
    if (part === '.') return inClass ? part : dot
    if (part === String.raw`\s`) return inClass ? spaces : `[${spaces}]`
    if (part === String.raw`\S`) return inClass ? nonSpaces : `[${nonSpaces}]`
    if (part === String.raw`\b` && inClass) return String.raw`\x08`
    // RE2 would read it as a plain letter.
    if (part === String.raw`\k`) throw new Error('RE2 has no backreferences.')
    return part
  })
}

function toCodePointEscape(high: string, low: string): string {
  const code = String.fromCharCode(Number.parseInt(high, 16), Number.parseInt(low, 16)).codePointAt(0) ?? 0
  return String.raw`\u{${code.toString(16)}}`
}
