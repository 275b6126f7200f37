import { mask } from '../model/secret.ts'
import { maskTokens } from '../model/secrets/token-forms.ts'
import { literalInArgument, looksSecret, maskPasswords } from '../sources/entries/literal-secrets.ts'

/** A query parameter. Its value ends at the quote that closes the surrounding text; a quote inside a word is part of it. */
const query = /([?&])([^=&#\s"]{1,256})=((?:(?!\\{0,8}"|\\{0,8}['`](?:[\s,;:.)}\]]|$))[^&#\s])+)/g

/** Masks literal secrets in a text for display: by their form, by the key above the text, or in the query of a url. */
export function redactText(text: string, key = ''): string {
  if (looksSecret(key, text)) return mask
  if (!text.includes('=')) return maskTokens(text, mask)
  const clean = maskPasswords(text, mask).replace(
    query,
    (whole, start: string, name: string, value: string) =>
      looksSecret(name, value) && !value.startsWith(mask) ? `${start}${name}=${mask}` : whole,
  )
  return maskTokens(clean, mask)
}

/** Masks literal secrets in arguments, including the value after an option with a secret name. */
export function redactArguments(args: readonly string[]): readonly string[] {
  // Test all arguments at once first: names of secrets are rare.
  if (!mayNameSecret.test(args.join(' '))) return args.map((arg) => redactText(arg))
  return args.map((arg, index) => {
    const [, option, value] = /^(--?[^=]+)=(.*)$/s.exec(arg) ?? []
    if (option !== undefined && value !== undefined && looksSecret(option, value)) return `${option}=${mask}`
    const before = args[index - 1]
    const follows = before !== undefined && /^--?[^=]+$/.test(before) && !arg.startsWith('-')
    return follows && looksSecret(before, arg) ? mask : redactWords(redactLiteral(arg, before))
  })
}

/** Masks what would be reported as a literal secret, one after the other: the mask itself is not one. */
function redactLiteral(arg: string, before: string | undefined): string {
  // Without these, there is no part of it to mask.
  if (!/[=:]/.test(arg)) return arg
  const found = literalInArgument(arg, before)
  if (found?.kind !== 'secret') return arg
  return redactLiteral(`${arg.slice(0, found.start)}${mask}${arg.slice(found.end)}`, before)
}

/** Matches every name of a secret and every url with a password. */
const mayNameSecret = /:\/\/[^/\s]*@|auth|cookie|cred|key|pass|pat|pwd|secret|session|token|(?:^| )-k\b/i

/** Matches every line that may contain a secret: an assignment, the form of a token, or a word of a secret name. */
const mayHoldSecret =
  /=|:\/\/|AKIA|gh[pousr]_|sk[-_]|xox|hf_|glpat-|npm_|AIza|SG\.|ntn_|lin_api_|tvly-|eyJ|earer |-----BEGIN|auth|cookie|cred|key|pass|pat|pwd|secret|session|token| -k\b/i

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
