import { mask } from '../model/secret.ts'
import { maskTokens } from '../model/secrets/token-forms.ts'
import { looksSecret, isSecretName } from '../sources/entries/secret-names.ts'

/** A query parameter. Its value ends at the quote that closes the surrounding text; a quote inside a word is part of it. */
const query = /([?&])([^=&#\s"]{1,256})=((?:(?!\\{0,8}"|\\{0,8}['`](?:[\s,;:.)}\]]|$))[^&#\s])+)/g

/** Masks literal secrets in a text for display: by their form, by the key above the text, or in the query of a url. */
export function redactText(text: string, key = ''): string {
  if (looksSecret(key, text)) return mask
  if (!text.includes('=')) return maskTokens(text, mask)
  const clean = text.replace(query, (whole, start: string, name: string, value: string) =>
    looksSecret(name, value) && !value.startsWith(mask) ? `${start}${name}=${mask}` : whole,
  )
  return maskTokens(clean, mask)
}

/** Masks literal secrets in arguments, including the value after an option with a secret name. */
export function redactArguments(args: readonly string[]): readonly string[] {
  // Test all arguments at once first: options with a secret name are rare.
  if (!isSecretName(args.join(' '))) return args.map((arg) => redactText(arg))
  return args.map((arg, index) => {
    const [, option, value] = /^(--?[^=]+)=(.*)$/s.exec(arg) ?? []
    if (option !== undefined && value !== undefined && looksSecret(option, value)) return `${option}=${mask}`
    const before = args[index - 1]
    const follows = before !== undefined && /^--?[^=]+$/.test(before) && !arg.startsWith('-')
    return follows && looksSecret(before, arg) ? mask : redactWords(arg)
  })
}

/** Matches every line that may contain a secret: an assignment, the form of a token, or a word of a secret name. */
const mayHoldSecret =
  /=|:\/\/|AKIA|gh[pousr]_|github_pat_|sk-|xox|hf_|glpat-|eyJ|earer |-----BEGIN|auth|cookie|cred|key|pass|pat|pwd|secret|session|token/i

/** Masks secrets in a command line. A quick test comes first: most lines have none, and a list may show a thousand. */
export function redactCommand(command: string, args: readonly string[]): string {
  const line = [command, ...args].join(' ')
  return mayHoldSecret.test(line) ? [redactText(command), ...redactArguments(args)].join(' ') : line
}

const optionInText =
  /(^|[\s"'`(])(--?[A-Za-z][\w-]*)(=|\s+)(?:(\\?["'])((?:(?!\4)(?:\\.|.))*?)\4|(?!-)([^\s"'`,)]+))/g

/** Masks secrets in a text that may quote a command line, including the value after an option with a secret name. */
export function redactWords(text: string): string {
  return redactText(text).replace(
    optionInText,
    (whole, start: string, option: string, between: string, quote = '', quoted = '', word = '') => {
      const value = `${quoted}${word}`
      return looksSecret(option, value) ? [start, option, between, quote, mask, quote].join('') : whole
    },
  )
}
