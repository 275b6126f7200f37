/** Splits a command line into words: whitespace separates, quotes group, and a backslash escapes the next character. */
export function splitCommand(line: string): readonly string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let index = 0; index < line.length; index++) {
    const char = line[index] ?? ''
    if (quote !== '') {
      if (char === quote) quote = ''
      else if (char === '\\' && quote === '"' && /["\\]/.test(line[index + 1] ?? ''))
        word += line[++index] ?? ''
      else word += char
    } else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      word = (word ?? '') + (char === '\\' ? (line[++index] ?? '') : char)
    }
  }
  return word === undefined ? words : [...words, word]
}
