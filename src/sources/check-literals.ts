import { isObject } from '../model/json.ts'
import type { Draft } from './draft.ts'
import type { Entry } from './entry.ts'
import type { EntryRules } from './rules.ts'
import { isLiteralSecret } from './secret-names.ts'

/** A literal under a secret's name: it works, and it is in a file that gets copied around. */
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
      entry.warn('plaintext-secret', `${key} ${name} holds a literal secret.`, {
        key: [key, name],
        hint: 'Put it into an environment variable and refer to that.',
      })
    }
  }
  if (rules.checkPins) checkPins(entry, rules)
}

function checkPins(entry: Entry, rules: EntryRules): void {
  const keys = [...(rules.keys?.command ?? ['command']), ...(rules.keys?.args ?? ['args'])]
  for (const key of keys) {
    const words = entry.get(key)
    if (!Array.isArray(words)) continue
    const index = words.findIndex((word) => typeof word === 'string' && word.endsWith('@latest'))
    if (index < 0) continue
    entry.info('unpinned-package', `${String(words[index])} is whatever is newest at each start.`, {
      key: [key, index],
      hint: 'Name an exact version.',
    })
    return
  }
}
