/**
 * Splits a typed line into words: blanks separate, quotes group, a backslash escapes the next character. JSON needs no
 * quotes: an object or a list at the start of a word or after `key=` extends to its closing bracket. A call such as
 * `server.tool(key: "value")` is one word.
 */
export function splitLine(line: string): readonly string[] {
  const call = /^\s*(call\s+)?([^\s"'(){}[\]=]+\(.*\))\s*$/s.exec(line)
  if (call) return [...(call[1] === undefined ? [] : ['call']), call[2] ?? '']
  const words: string[] = []
  let at = 0
  while (at < line.length) {
    if (isBlank(line[at])) at++
    else {
      const { word, end } = readWord(line, at)
      words.push(word)
      at = end
    }
  }
  return words
}

/** Splits a line that is still typed: the finished words, and the last, unfinished one as typed. */
export function splitTyped(line: string): { readonly words: readonly string[]; readonly partial: string } {
  const [partial = ''] = /\S*$/.exec(line) ?? []
  return { words: splitLine(line.slice(0, line.length - partial.length)), partial }
}

function readWord(line: string, start: number): { readonly word: string; readonly end: number } {
  let word = ''
  let at = start
  while (at < line.length && !isBlank(line[at])) {
    const char = line[at] ?? ''
    const isValue = word === '' || /^[^=]+=$/.test(word)
    if (isValue && (char === '{' || char === '[')) {
      const end = endOfJson(line, at)
      word += line.slice(at, end)
      at = end
    } else if (char === '"' || char === "'") {
      const { text, end } = readQuoted(line, at)
      word += text
      at = end
    } else if (char === '\\') {
      word += line[at + 1] ?? ''
      at += 2
    } else {
      word += char
      at++
    }
  }
  return { word, end: at }
}

function readQuoted(line: string, start: number): { readonly text: string; readonly end: number } {
  const quote = line[start]
  let text = ''
  let at = start + 1
  for (; at < line.length && line[at] !== quote; at++) {
    if (line[at] === '\\' && quote === '"' && /["\\]/.test(line[at + 1] ?? '')) at++
    text += line[at] ?? ''
  }
  return { text, end: at + 1 }
}

/** The index after the closing bracket, or the end of the line if there is none. */
function endOfJson(line: string, start: number): number {
  let depth = 0
  let isInString = false
  for (let at = start; at < line.length; at++) {
    const char = line[at]
    if (isInString) {
      if (char === '\\') at++
      else if (char === '"') isInString = false
    } else if (char === '"') isInString = true
    else if (char === '{' || char === '[') depth++
    else if ((char === '}' || char === ']') && --depth === 0) return at + 1
  }
  return line.length
}

function isBlank(char: string | undefined): boolean {
  return char !== undefined && /\s/.test(char)
}
