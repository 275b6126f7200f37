import { foldLookAlikes } from './confusables.ts'

const ascii = /^[\n\t\x20-\x7e]*$/
const punctuation: readonly (readonly [RegExp, string])[] = [
  [/[‘’‛ʼ′＇]/g, "'"],
  [/[“”„‟«»]/g, '"'],
  [/[‐‑‒−]/g, '-'],
  [/[\u2028\u2029\u0085]/g, '\n'],
]

/** The text as a model understands it: compatibility forms, accents and look-alike letters folded. */
export function normalize(visible: string): {
  readonly text: string
  readonly lookAlikes: readonly string[]
} {
  let text = visible
  let lookAlikes: readonly string[] = []
  if (!ascii.test(text)) {
    // Compose first, so that a letter with its accent is one character; then drop accents from Latin letters.
    text = text.normalize('NFKC')
    for (const [from, to] of punctuation) text = text.replace(from, to)
    text = text.replace(/[\u00C0-\u024F\u1E00-\u1EFF]/g, (letter) => letter.normalize('NFD').charAt(0))
    text = text.replace(/(?<=[A-Za-z])[\u0300-\u036f]{1,16}/g, '')
    const folded = foldLookAlikes(text)
    text = folded.text
    lookAlikes = folded.words
  }
  // First, while two blanks still separate the words of `i g n o r e  i t`.
  text = joinLetters(text).replace(/[ \t\u00a0\u2000-\u200a\u202f\u205f\u3000]{2,}/g, ' ')
  return { text: foldDigits(text), lookAlikes }
}

const digitLetters: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  $: 's',
  '@': 'a',
}

/** `1gn0re pr3vious` → `ignore previous`: words of letters with single digits between them. Names such as `s3` stay. */
function foldDigits(text: string): string {
  if (!/[A-Za-z][013457$@][A-Za-z]|\b[013457][A-Za-z]{2}/.test(text)) return text
  return text.replace(/(?<![\w./@~-])[A-Za-z013457$@]{4,20}(?![\w./@:-])/g, (word) => {
    const letters = word.replace(/[^A-Za-z]/g, '').length
    if (letters === word.length || letters * 2 < word.length || !/[a-z]{1}/i.test(word)) return word
    if (/[A-Za-z]\d{1,3}$/.test(word) && !/\d[A-Za-z]/.test(word)) return word
    return word.replace(/[013457$@]/g, (digit) => digitLetters[digit] ?? digit)
  })
}

/** `i g n o r e` and `i.g.n.o.r.e` → `ignore`. Letters with one separator between them, at least five. */
function joinLetters(text: string): string {
  return text.replace(
    /(?<![A-Za-z0-9])[A-Za-z](?:([ .\-_*])[A-Za-z](?![A-Za-z0-9])){4,60}/g,
    (run: string, separator: string) =>
      new Set(run.replace(/[A-Za-z]/g, '')).size === 1 ? run.split(separator).join('') : run,
  )
}
