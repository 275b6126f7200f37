import { usage } from '../errors.ts'

/**
 * What only a shell understands, where it separates commands or redirects: at the beginning or the end of a word. Inside
 * of one it is more often part of an address or of a version.
 */
const operator = /^(?:[|&;]+|\d*[<>]+(?:&\d)?)|[|&;]+$/

const hint = `For a command of a shell, name the shell: --stdio "sh -c '…'"`

interface Word {
  text: string
  /** Nothing of it was quoted or escaped. */
  isBare: boolean
}

/**
 * Splits the text of `--stdio` as a POSIX shell splits a simple command: blanks separate, quotes group, a backslash escapes
 * the next character. No shell is started, so nothing is expanded. On Windows a backslash is an ordinary character, as in
 * its paths.
 */
export function splitArgv(text: string, os: string = process.platform): readonly string[] {
  const words = readWords(text, { hasEscapes: os !== 'win32' })
  for (const { text: word, isBare } of words) {
    const [found] = (isBare && operator.exec(word)) || []
    if (found !== undefined) throw usage(`--stdio starts no shell, so "${found}" has no meaning in it.`, hint)
  }
  const [first] = words
  if (!first || first.text === '')
    throw usage('--stdio needs a command.', 'For example: --stdio "npx -y some-mcp"')
  const variable = /^([A-Za-z_]\w*)=/.exec(first.isBare ? first.text : '')
  if (variable)
    throw usage(`--stdio begins with the variable ${variable[1]}.`, `Set it apart: --env ${variable[1]}=…`)
  return words.map((word) => word.text)
}

function readWords(text: string, { hasEscapes }: { readonly hasEscapes: boolean }): readonly Word[] {
  const words: Word[] = []
  let word: Word | undefined
  let quote = ''
  const add = (piece: string, isBare: boolean): void => {
    word ??= { text: '', isBare: true }
    word.text += piece
    word.isBare &&= isBare
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at] ?? ''
    const isEscape = char === '\\' && hasEscapes && quote !== "'"
    if (isEscape && at + 1 === text.length) throw unfinished('ends with a backslash')
    if (quote !== '' && char === quote) quote = ''
    else if (isEscape && (quote === '' || /["\\$`]/.test(text[at + 1] ?? ''))) add(text[++at] ?? '', false)
    else if (quote !== '') add(char, false)
    else if (char === '"' || char === "'") {
      quote = char
      add('', false)
    } else if (/[ \t\r\n]/.test(char)) {
      if (word) words.push(word)
      word = undefined
    } else add(char, true)
  }
  if (quote !== '') throw unfinished(`has a ${quote} that is not closed`)
  return word ? [...words, word] : words
}

function unfinished(problem: string): Error {
  return usage(
    `The command of --stdio ${problem}.`,
    'Quote it as in a shell: --stdio "node \'my server.js\'"',
  )
}
