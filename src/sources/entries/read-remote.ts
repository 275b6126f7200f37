import type { Value } from '../../model/server.ts'
import type { Draft } from './server-draft.ts'
import type { Entry } from './raw-entry.ts'
import type { EntryRules } from './entry-rules.ts'

export function readRemote(entry: Entry, rules: EntryRules, draft: Draft): void {
  const urlKey = (rules.keys?.url ?? ['url']).find((key) => entry.has(key))
  if (urlKey !== undefined) {
    const url = entry.string(urlKey, 'error')
    if (url === '') entry.refuse('missing-endpoint', 'The url is empty.', { key: urlKey })
    else if (url !== undefined) draft.url = url
  }
  const headersKey = entry.firstOf(rules.keys?.headers ?? ['headers'])
  if (headersKey) draft.headers = readHeaders(entry, headersKey)
}

/** A map of header values; also used for owners that keep a second map beside the first. */
export function readHeaders(entry: Entry, key: string): Record<string, Value> | undefined {
  const object = entry.object(key, 'error')
  if (!object) return undefined
  const headers: Record<string, Value> = Object.create(null)
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === 'string') headers[name] = value
    else if (typeof value === 'number' || typeof value === 'boolean') {
      headers[name] = String(value)
      entry.warn('wrong-type', `"${key}.${name}" was converted to text.`, { key: [key, name] })
    } else if (value !== null) {
      entry.refuse('wrong-type', `"${key}.${name}" must be a string.`, { key: [key, name] })
    }
  }
  return headers
}
