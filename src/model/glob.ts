/**
 * `*` matches any run of characters, every other character itself; with `questionMark`, `?` matches one character (C24).
 * Uses two pointers instead of recursion: time is linear in practice and never exponential.
 */
export function matchGlob(
  pattern: string,
  text: string,
  options: { readonly questionMark?: boolean } = {},
): boolean {
  const isWildcard = (char: string | undefined) => char === '?' && options.questionMark === true
  let p = 0
  let t = 0
  let star = -1
  let resume = 0
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === '*') {
      star = p++
      resume = t
    } else if (p < pattern.length && (pattern[p] === text[t] || isWildcard(pattern[p]))) {
      p++
      t++
    } else if (star >= 0) {
      p = star + 1
      t = ++resume
    } else {
      return false
    }
  }
  while (p < pattern.length && pattern[p] === '*') p++
  return p === pattern.length
}
