import type { Draft } from './server-draft.ts'
import type { Entry } from './raw-entry.ts'
import type { EntryRules, Means } from './entry-rules.ts'

export function readEndpoint(entry: Entry, rules: EntryRules, draft: Draft): void {
  const typeKey = entry.firstOf(rules.typeKeys ?? ['type']) ?? 'type'
  const word = hasTypes(rules) ? entry.string(typeKey, 'error') : undefined
  const commandKey = entry.firstOf(rules.keys?.command ?? ['command'])
  const urlKey = firstUrl(entry, rules)
  const byKey = urlKey === undefined ? undefined : rules.urlMeans?.[urlKey]
  const means =
    byKey ?? (word !== undefined && Object.hasOwn(rules.types, word) ? rules.types[word] : undefined)

  if (word !== undefined && means === undefined) {
    const message = `"${word}" is not a transport; it is one of ${supported(rules)}.`
    entry.refuse('unknown-transport', message, { key: typeKey })
    return
  }
  if (means === 'refused') {
    const hint = `Use one of ${supported(rules)}.`
    entry.refuse('unsupported-transport', `The transport "${word}" is not supported.`, { key: typeKey, hint })
    return
  }
  if (commandKey !== undefined && urlKey !== undefined) {
    if (rules.both === 'refuse') {
      entry.refuse('command-and-url', 'The entry has both a command and a url; keep one.')
      return
    }
    const wins = means === undefined ? rules.both : means === 'stdio' ? 'command' : 'url'
    entry.warn('command-and-url', `The entry has both a command and a url; the ${wins} counts.`)
    setKind(draft, wins === 'command' ? 'stdio' : (means ?? rules.untypedUrl))
    return
  }
  const meant =
    means ?? (commandKey !== undefined ? 'stdio' : urlKey !== undefined ? rules.untypedUrl : undefined)
  if (meant === undefined) {
    if (!rules.partial) refuseMissing(entry, 'neither command nor url')
    return
  }
  if (means === undefined) explainUntyped(entry, rules, commandKey !== undefined)
  if (entry.refused) return
  if (meant === 'stdio' && commandKey === undefined && !rules.partial) {
    return refuseMissing(entry, 'a stdio server needs a command')
  }
  if (meant !== 'stdio' && urlKey === undefined && !rules.partial) {
    return refuseMissing(entry, 'an http or sse server needs a url')
  }
  if (meant === 'sse' && word !== undefined && rules.sseDeprecated) {
    entry.info('deprecated-transport', '"sse" is the old HTTP+SSE transport.', { key: typeKey })
  }
  setKind(draft, meant)
}

function supported({ types }: EntryRules): string {
  const words = Object.entries(types).flatMap(([word, means]) => (means === 'refused' ? [] : word))
  return words.join(', ')
}

function firstUrl(entry: Entry, rules: EntryRules): string | undefined {
  const present = (rules.keys?.url ?? ['url']).filter((key) => entry.has(key))
  if (present.length > 1) {
    entry.warn('duplicate-endpoint', `${present.join(' and ')} are both set; ${present[0]} counts.`)
  }
  return present[0]
}

function refuseMissing(entry: Entry, what: string): void {
  entry.refuse('missing-endpoint', `The entry is incomplete: ${what}.`, {
    hint: 'Give it a "command" to run, or a "url" with a "type".',
  })
}

function explainUntyped(entry: Entry, rules: EntryRules, hasCommand: boolean): void {
  const note = hasCommand ? rules.untypedCommandNote : rules.untypedUrlNote
  if (!note) return
  if (note.severity === 'error') entry.refuse(note.code, note.message)
  else entry.say(note.code, note.severity, note.message)
}

function setKind(draft: Draft, means: Means): void {
  if (means === 'refused') return
  draft.kind = means === 'http+sse' ? 'http' : means
  if (means === 'http+sse') draft.fallback = 'sse'
}

/** Some owners have no word for a transport: the keys say it. */
function hasTypes({ types }: EntryRules): boolean {
  for (const _word in types) return true
  return false
}
