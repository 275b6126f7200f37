/**
 * `*` matches any run of characters, everything else itself; C24: `?` matches one character where that is asked for.
 * Two pointers, so the time is linear in practice and never exponential.
 */
export function matchGlob(
  pattern: string,
  text: string,
  options: { readonly questionMark?: boolean } = {},
): boolean {
  const isOne = (char: string | undefined) => char === '?' && options.questionMark === true
  let p = 0
  let t = 0
  let star = -1
  let resume = 0
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === '*') {
      star = p++
      resume = t
    } else if (p < pattern.length && (pattern[p] === text[t] || isOne(pattern[p]))) {
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
