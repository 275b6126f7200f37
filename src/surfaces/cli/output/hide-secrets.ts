import { redactArguments, redactText, redactWords } from '../../../internal.ts'

/** `"key": "value"` of JSON, `key = "value"` of TOML, with any number of them on a line. */
const quotedPair = /(["']?)([\w.-]+)\1(\s*[:=]\s*)(["'])((?:\\.|(?!\4)[^\\\n])*)\4/g
/** `key: value` of YAML. */
const plainPair = /^(\s*(?:- )?)([\w.-]+)(:[ \t]+)(?!["'{[|>&*!])(.+)$/gm
/** An option and what follows it in a list of JSON or TOML, and in a list of YAML. */
const quotedOption = /(["'])(--?[\w-]+)\1(\s*,\s*)(["'])((?:\\.|(?!\4)[^\\\n])*)\4/g
const plainOption = /^([ \t]*- )(["']?)(--?[\w-]+)\2(\n[ \t]*- )(.+)$/gm
const quotedWord = /(["'])(--?[\w-]+=(?:\\.|(?!\1)[^\\\n])*)\1/g
const plainWord = /^([ \t]*- )(--?[\w-]+=.+)$/gm

const privateKey = /-----BEGIN [A-Z ]*PRIVATE KEY-----[^]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g

/** The text of a config for showing, line by line the same, with literal secrets hidden. */
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

/** Before every quote, except one that begins the value of an option. */
const quoteAhead = /(?<!(?:^|[\s"'`(])--?[A-Za-z][\w-]*=?)(?=\\?["'`])(?<!\\)/g
const stop = '\v'

/** No secret goes on behind a quote: a blank there, for as long as it takes, ends every form of one. */
function redactBetweenQuotes(text: string, redact: (text: string) => string): string {
  return redact(text.replace(quoteAhead, stop)).replace(/\v(?=\\?["'`])/g, '')
}
