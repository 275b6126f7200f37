import { redactArguments, redactText, redactWords } from '../../internal.ts'

/** `"key": "value"` in JSON, `key = "value"` in TOML; several per line are possible. */
const quotedPair = /(["']?)([\w.-]+)\1(\s*[:=]\s*)(["'])((?:\\.|(?!\4)[^\\\n])*)\4/g
/** `key: value` in YAML. */
const plainPair = /^(\s*(?:- )?)([\w.-]+)(:[ \t]+)(?!["'{[|>&*!])(.+)$/gm
/** An option and its value in a list, quoted (JSON, TOML) or plain (YAML). */
const quotedOption = /(["'])(--?[\w-]+)\1(\s*,\s*)(["'])((?:\\.|(?!\4)[^\\\n])*)\4/g
const plainOption = /^([ \t]*- )(["']?)(--?[\w-]+)\2(\n[ \t]*- )(.+)$/gm
const quotedWord = /(["'])(--?[\w-]+=(?:\\.|(?!\1)[^\\\n])*)\1/g
const plainWord = /^([ \t]*- )(--?[\w-]+=.+)$/gm

const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g

/** The text of a config file with literal secrets hidden; its lines stay the same otherwise. */
export function hideSecrets(text: string): string {
  const hidden = text
    .replace(privateKey, (key) => key.replace(/[^\n]+/g, (line) => redactText(line, 'secret')))
    .replace(quotedPair, (_, quote: string, key: string, between: string, mark: string, value: string) =>
      [
        quote,
        key,
        quote,
        between,
        mark,
        redactBetweenQuotes(value, (text) => redactText(text, key)),
        mark,
      ].join(''),
    )
    .replace(plainPair, (_, start: string, key: string, between: string, value: string) =>
      [start, key, between, redactBetweenQuotes(value, (text) => redactText(text, key))].join(''),
    )
    .replace(quotedOption, (_, quote: string, option: string, between: string, mark: string, value: string) =>
      [quote, option, quote, between, mark, redactOptionValue(option, value), mark].join(''),
    )
    .replace(plainOption, (_, start: string, quote: string, option: string, next: string, value: string) =>
      [start, quote, option, quote, next, redactOptionValue(option, value)].join(''),
    )
    .replace(
      quotedWord,
      (_, mark: string, word: string) => `${mark}${redactArguments([word]).join('')}${mark}`,
    )
    .replace(plainWord, (_, start: string, word: string) => `${start}${redactArguments([word]).join('')}`)
  return hidden
    .split('\n')
    .map((line) => redactBetweenQuotes(line, redactWords))
    .join('\n')
}

function redactOptionValue(option: string, value: string): string {
  return redactArguments([option, value])[1] ?? value
}

/** The position before every quote, except one that starts the value of an option. */
const quoteAhead = /(?<!(?:^|[\s"'`(])--?[A-Za-z][\w-]*=?)(?=\\?["'`])(?<!\\)/g
const stop = '\v'

/** Redacts without crossing quotes: a temporary blank before each quote ends every secret pattern there. */
function redactBetweenQuotes(text: string, redact: (text: string) => string): string {
  return redact(text.replace(quoteAhead, stop)).replace(/\v(?=\\?["'`])/g, '')
}
