import { isObject } from '../../model/json.ts'
import type { Draft } from './server-draft.ts'
import type { Entry } from './raw-entry.ts'
import type { EntryRules } from './entry-rules.ts'
import { isLiteralSecret } from './secret-names.ts'

/** Warns about literal secrets: they work, but configuration files get copied and shared. */
export function checkLiterals(entry: Entry, rules: EntryRules, draft: Draft): void {
  const maps: readonly [string | undefined, Draft['headers']][] = [
    [entry.firstOf(rules.keys?.headers ?? ['headers']), draft.headers],
    [entry.firstOf(rules.keys?.env ?? ['env']), draft.env],
  ]
  for (const [key, values] of maps) {
    if (key === undefined || !isObject(values)) continue
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== 'string' || rules.references?.test(value) || !isLiteralSecret(name, value))
        continue
      warnLiteral(entry, rules, `${key} ${name}`, [key, name])
    }
  }
  if (draft.url !== undefined) checkUrl(entry, rules, draft.url)
  if (draft.args) checkArguments(entry, rules)
  if (rules.checkPins) checkPins(entry, rules)
}

const userInfo = /^[a-z][a-z\d+.-]*:\/\/[^/?#\s@:]*:([^/?#\s@]+)@/i
const parameter = /[?&]([^=&#\s]{1,256})=([^&#\s]+)/g

function checkUrl(entry: Entry, rules: EntryRules, url: string): void {
  const [, password = ''] = userInfo.exec(url) ?? []
  const names = [...url.matchAll(parameter)].flatMap(([, name = '', value = '']) =>
    isLiteralSecret(name, value) ? [name] : [],
  )
  if (isLiteralSecret('password', password)) names.unshift('password')
  const [name] = names
  if (name === undefined) return
  warnLiteral(entry, rules, `url ${name}`, [entry.firstOf(rules.keys?.url ?? ['url']) ?? 'url'])
}

/** `--api-key VALUE`, `--api-key=VALUE` or `API_KEY=VALUE`. */
function checkArguments(entry: Entry, rules: EntryRules): void {
  for (const key of [...(rules.keys?.command ?? ['command']), ...(rules.keys?.args ?? ['args'])]) {
    const words = entry.get(key)
    if (!Array.isArray(words)) continue
    words.forEach((word: unknown, index) => {
      const before: unknown = words[index - 1]
      const name = typeof word === 'string' ? secretOption(word, before) : undefined
      if (name !== undefined) warnLiteral(entry, rules, `${key} ${name}`, [key, index])
    })
  }
}

function secretOption(word: string, before: unknown): string | undefined {
  const [, name, value = ''] = /^(--?[a-z][\w.-]*|[A-Z][A-Z\d_]*)=(.+)$/s.exec(word) ?? []
  if (name !== undefined) return isSecretOption(name, value) ? name : undefined
  if (typeof before !== 'string' || !/^--?[a-z][\w.-]*$/i.test(before)) return undefined
  return isSecretOption(before, word) ? before : undefined
}

/** Options such as `--token-file` hold the place of a secret, not the secret. */
const namesPlace = /(?:file|path|dir|folder|env|var|name|url|uri|host|type|store|stdin|id)$/i

function isSecretOption(name: string, value: string): boolean {
  // Two small patterns: a single one over a long value would overflow the stack of the regular expression engine.
  const isWord = /^[^-/.~]\S{5}/.test(value) && !/\s/.test(value)
  return isWord && !namesPlace.test(name) && isLiteralSecret(name, value)
}

function warnLiteral(
  entry: Entry,
  { isLiteral }: EntryRules,
  place: string,
  key: readonly (string | number)[],
): void {
  entry.warn('plaintext-secret', `${place} holds a literal secret.`, {
    key,
    hint: isLiteral
      ? 'This client cannot reference variables: make the file readable only by you.'
      : 'Put it in an environment variable and reference that.',
  })
}

function checkPins(entry: Entry, rules: EntryRules): void {
  const keys = [...(rules.keys?.command ?? ['command']), ...(rules.keys?.args ?? ['args'])]
  for (const key of keys) {
    const words = entry.get(key)
    if (!Array.isArray(words)) continue
    const index = words.findIndex((word) => typeof word === 'string' && word.endsWith('@latest'))
    if (index < 0) continue
    entry.info('unpinned-package', `${String(words[index])} is always the latest version.`, {
      key: [key, index],
      hint: 'Pin an exact version.',
    })
    return
  }
}
