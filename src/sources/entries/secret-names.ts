import { valueAt } from '../../model/json.ts'
import type { Entry } from './raw-entry.ts'

const secretName =
  /authorization|token(?!s\b|s_|izer)|secret|passw|api[-_]?key|access[-_]?key|private[-_]?key|credential/i
/** Words that name a secret as a word of a name: DB_PASS, X-Auth, sessionId. A key alone opens nothing. */
const secretWord = /pass\b|pass(?:code|phrase)|pwd\b|cookie|\bsession\b|auth$|[a-z\d] (?:key|pat)\b/i
/** Cheap to ask first: most names hold none of them. */
const mayHoldWord = /pass|pwd|pat|cookie|session|auth|key/i
const placeholder = /\$\{?[A-Za-z_{(]|\$env:|^!|\{env:|\{file:|%[A-Za-z_]+%|^\{[^}]*\}$/

/** A name under which secrets are kept. A number of tokens is none. */
export function namesSecret(name: string): boolean {
  return secretName.test(name) || (mayHoldWord.test(name) && secretWord.test(wordsOf(name)))
}

/** `stripeKey`, `STRIPE_KEY` and `stripe-key` are the same words. */
function wordsOf(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])|[_.-]|(?<=[A-Za-z])(?=\d)/g, ' ')
}

const harmlessName =
  /^(?:HOME|PATH|USER|USERNAME|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|SHELL|TERM|PWD|OLDPWD|TMPDIR|TEMP|TMP|XDG_\w+|HOSTNAME|NODE_ENV|USERPROFILE|APPDATA|LOCALAPPDATA|SYSTEMROOT|COMSPEC)$/i
const plainValue = /^(?:[-+]?\d{1,9}(?:\.\d{1,9})?|(?=.{0,12}$)[a-z]*(?:-[a-z]+)*)$/
const folderName = /(?:BIN|DIR|DIRECTORY|FOLDER|HOME|PATH|ROOT)$/i
const folder = /^(?:~|[A-Za-z]:)?[\\/][^:@]*$/

/** T35: what a variable holds is hidden, unless its name, or its form under names that keep no secret, says it is none. */
export function hidesVariable(name: string, key: string, value: string): boolean {
  if (/:\/\/[^/\s@]*@/.test(value)) return true
  if (harmlessName.test(name)) return name !== key && namesSecret(key)
  if (namesSecret(name) || namesSecret(key)) return true
  return !plainValue.test(value) && !(folderName.test(name) && folder.test(value))
}

/** A secret's name with a value that stands there as it is, instead of naming where it comes from. */
export function looksSecret(name: string, value: string): boolean {
  return value.trim() !== '' && namesSecret(name) && !placeholder.test(value)
}

/** The same for names that leave no doubt: what is only hidden is not worth a warning. */
export function isLiteralSecret(name: string, value: string): boolean {
  return value.trim() !== '' && secretName.test(name) && !placeholder.test(value)
}

/** A key that holds a secret whatever its name: it should name where the secret comes from. */
export function checkLiteral(entry: Entry, key: readonly string[]): void {
  const value = valueAt(entry.value, key)
  if (typeof value !== 'string' || !looksSecret('secret', value)) return
  entry.warn('plaintext-secret', `${key.join('.')} holds a literal secret.`, {
    key,
    hint: 'Put it into an environment variable and refer to that.',
  })
}
