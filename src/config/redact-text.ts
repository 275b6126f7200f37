import { Redactor } from '../model/secret.ts'
import { looksSecret, isSecretName } from '../sources/entries/secret-names.ts'

const forms = new Redactor()
const mask = '•••'

/** A query's value goes on to the quote that closes the text it stands in; one within a word is part of the value. */
const query = /([?&])([^=&#\s"]{1,256})=((?:(?!\\{0,8}"|\\{0,8}['`](?:[\s,;:.)}\]]|$))[^&#\s])+)/g

/** A text for showing: literal secrets in it are hidden, by their form, by the key they stand under, or in a url's query. */
export function redactText(text: string, key = ''): string {
  if (looksSecret(key, text)) return mask
  if (!text.includes('=')) return forms.redact(text)
  const clean = text.replace(query, (whole, start: string, name: string, value: string) =>
    looksSecret(name, value) && !value.startsWith(mask) ? `${start}${name}=${mask}` : whole,
  )
  return forms.redact(clean)
}

/** Arguments for showing: also what follows an option with a secret's name. */
export function redactArguments(args: readonly string[]): readonly string[] {
  // Asked once for all of them: options with a secret's name are rare, and so are tokens.
  if (!isSecretName(args.join(' '))) return args.map((arg) => redactText(arg))
  return args.map((arg, index) => {
    const [, option, value] = /^(--?[^=]+)=(.*)$/s.exec(arg) ?? []
    if (option !== undefined && value !== undefined && looksSecret(option, value)) return `${option}=${mask}`
    const before = args[index - 1]
    const follows = before !== undefined && /^--?[^=]+$/.test(before) && !arg.startsWith('-')
    return follows && looksSecret(before, arg) ? mask : redactWords(arg)
  })
}

/** What every literal secret has in it: a sign of a value, a token's form, or a word of a secret's name. */
const mayHoldSecret =
  /=|:\/\/|AKIA|gh[pousr]_|github_pat_|sk-|xox|hf_|glpat-|eyJ|earer |-----BEGIN|auth|cookie|cred|key|pass|pat|pwd|secret|session|token/i

/** A command line for showing. Nearly all hold no secret, and a list shows a thousand. */
export function redactCommand(command: string, args: readonly string[]): string {
  const line = [command, ...args].join(' ')
  return mayHoldSecret.test(line) ? [redactText(command), ...redactArguments(args)].join(' ') : line
}

const optionInText =
  /(^|[\s"'`(])(--?[A-Za-z][\w-]*)(=|\s+)(?:(\\?["'])((?:(?!\4)(?:\\.|.))*?)\4|(?!-)([^\s"'`,)]+))/g

/** A command line in a text for showing: also what follows an option with a secret's name. */
export function redactWords(text: string): string {
  return redactText(text).replace(
    optionInText,
    (whole, start: string, option: string, between: string, quote = '', quoted = '', word = '') => {
      const value = `${quoted}${word}`
      return looksSecret(option, value) ? [start, option, between, quote, mask, quote].join('') : whole
    },
  )
}
