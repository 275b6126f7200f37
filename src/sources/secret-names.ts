import { valueAt } from '../model/json.ts'
import type { Entry } from './entry.ts'

const secretName =
  /authorization|token(?!s\b|s_|izer)|secret|passw|api[-_]?key|access[-_]?key|private[-_]?key|credential/i
const placeholder = /\$\{?[A-Za-z_{(]|\$env:|^!|\{env:|\{file:|%[A-Za-z_]+%|^\{[^}]*\}$/

/** A name under which secrets are kept. A number of tokens is none. */
export function namesSecret(name: string): boolean {
  return secretName.test(name)
}

/** A secret's name with a value that stands there as it is, instead of naming where it comes from. */
export function looksSecret(name: string, value: string): boolean {
  return value.trim() !== '' && namesSecret(name) && !placeholder.test(value)
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
