import { isObject, valueAt } from '../../model/json.ts'
import type { Draft } from './server-draft.ts'
import type { Entry } from './raw-entry.ts'
import type { EntryRules } from './entry-rules.ts'
import { classifyLiteral, literalInArgument, literalsWithin } from './literal-secrets.ts'
import type { LiteralKind } from './literal-secrets.ts'

/** Reports literal secrets: they work, but configuration files get copied and shared. */
export function checkLiterals(entry: Entry, rules: EntryRules, draft: Draft): void {
  const maps: readonly [string | undefined, Draft['headers']][] = [
    [entry.firstOf(rules.keys?.headers ?? ['headers']), draft.headers],
    [entry.firstOf(rules.keys?.env ?? ['env']), draft.env],
  ]
  for (const [key, values] of maps) {
    if (key === undefined || !isObject(values)) continue
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== 'string' || rules.references?.test(value)) continue
      const kind = classifyLiteral(name, value)
      if (kind) reportLiteral(entry, kind, rules, `${key} ${name}`, [key, name])
    }
  }
  if (draft.url !== undefined) checkUrl(entry, rules, draft.url)
  if (draft.args) checkArguments(entry, rules)
  if (rules.checkPins) checkPins(entry, rules)
}

function checkUrl(entry: Entry, rules: EntryRules, url: string): void {
  const [found] = literalsWithin(url)
  if (!found) return
  const key = entry.firstOf(rules.keys?.url ?? ['url']) ?? 'url'
  reportLiteral(entry, found.kind, rules, `url ${found.name}`, [key])
}

function checkArguments(entry: Entry, rules: EntryRules): void {
  for (const key of [...(rules.keys?.command ?? ['command']), ...(rules.keys?.args ?? ['args'])]) {
    const words = entry.get(key)
    if (!Array.isArray(words)) continue
    words.forEach((word: unknown, index) => {
      const found = typeof word === 'string' ? literalInArgument(word, words[index - 1]) : undefined
      if (found) reportLiteral(entry, found.kind, rules, `${key} ${quoteOption(found.name)}`, [key, index])
    })
  }
}

/** In quotes, an option has no value after it: the next word of the sentence is not one to hide. */
function quoteOption(name: string): string {
  return name.startsWith('-') ? `"${name}"` : name
}

export function reportLiteral(
  entry: Entry,
  kind: LiteralKind,
  { isLiteral }: Pick<EntryRules, 'isLiteral'>,
  place: string,
  key: readonly (string | number)[],
): void {
  const hint = isLiteral
    ? 'This client cannot reference variables: make the file readable only by you.'
    : kind === 'secret'
      ? 'Put it in an environment variable and reference that.'
      : 'Put the secret in an environment variable and reference that.'
  const says =
    kind === 'secret' ? 'holds a literal secret' : 'still holds an example text instead of a secret'
  entry.warn('plaintext-secret', `${place} ${says}.`, { key, hint })
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

/** Reports a literal in a key that always holds a secret. */
export function checkLiteral(entry: Entry, key: readonly string[]): void {
  const value = valueAt(entry.value, key)
  const kind = typeof value === 'string' ? classifyLiteral('secret', value) : undefined
  if (kind) reportLiteral(entry, kind, {}, key.join('.'), key)
}
