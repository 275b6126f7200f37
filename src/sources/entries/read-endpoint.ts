import type { Draft } from './server-draft.ts'
import type { Entry } from './raw-entry.ts'
import type { EntryRules, TransportMeaning } from './entry-rules.ts'
import type { Value } from '../../model/server.ts'

/** Decides the transport: by the client's word for it, or by the presence of command and url. */
export function readEndpoint(entry: Entry, rules: EntryRules, draft: Draft): void {
  const typeKey = entry.firstOf(rules.typeKeys ?? ['type']) ?? 'type'
  const word = hasTypes(rules) ? entry.string(typeKey, 'error') : undefined
  const commandKey = entry.firstOf(rules.keys?.command ?? ['command'])
  const urlKey = firstUrlKey(entry, rules)
  const byKey = urlKey === undefined ? undefined : rules.meaningOfUrlKey?.[urlKey]
  const meaning = byKey ?? (word === undefined ? undefined : meaningOfType(word, rules))

  if (word !== undefined && meaning === undefined) {
    const message = `"${word}" is not a transport; it is one of ${supportedTypes(rules)}.`
    entry.refuse('unknown-transport', message, { key: typeKey })
    return
  }
  if (meaning === 'refused') {
    const hint = `Use one of ${supportedTypes(rules)}.`
    entry.refuse('unsupported-transport', `The transport "${word}" is not supported.`, { key: typeKey, hint })
    return
  }
  if (commandKey !== undefined && urlKey !== undefined) {
    if (rules.both === 'refuse') {
      entry.refuse('command-and-url', 'The entry has both a command and a url; keep one.')
      return
    }
    const used = meaning === undefined ? rules.both : meaning === 'stdio' ? 'command' : 'url'
    entry.warn('command-and-url', `The entry has both a command and a url; the ${used} is used.`)
    setKind(draft, used === 'command' ? 'stdio' : (meaning ?? rules.untypedUrl))
    return
  }
  const transport =
    meaning ?? (commandKey !== undefined ? 'stdio' : urlKey !== undefined ? rules.untypedUrl : undefined)
  if (transport === undefined) {
    if (!rules.partial) refuseMissing(entry, 'neither command nor url')
    return
  }
  if (meaning === undefined) reportUntyped(entry, rules, commandKey !== undefined)
  if (entry.refused) return
  if (transport === 'stdio' && commandKey === undefined && !rules.partial) {
    return refuseMissing(entry, 'a stdio server needs a command')
  }
  if (transport !== 'stdio' && urlKey === undefined && !rules.partial) {
    return refuseMissing(entry, 'an http or sse server needs a url')
  }
  if (transport === 'sse' && word !== undefined && rules.sseDeprecated) {
    entry.info('deprecated-transport', '"sse" is the legacy HTTP+SSE transport.', { key: typeKey })
  }
  setKind(draft, transport)
}

/** What a client's word for a transport means. */
export function meaningOfType(
  word: string,
  { types, alsoTypes = {} }: EntryRules,
): TransportMeaning | undefined {
  if (Object.hasOwn(types, word)) return types[word]
  return Object.hasOwn(alsoTypes, word) ? alsoTypes[word] : undefined
}

function supportedTypes({ types }: EntryRules): string {
  const words = Object.entries(types).flatMap(([word, meaning]) => (meaning === 'refused' ? [] : word))
  return words.join(', ')
}

function firstUrlKey(entry: Entry, rules: EntryRules): string | undefined {
  const present = (rules.keys?.url ?? ['url']).filter((key) => entry.has(key))
  if (present.length > 1) {
    entry.warn('duplicate-endpoint', `${present.join(' and ')} are both set; ${present[0]} is used.`)
  }
  return present[0]
}

function refuseMissing(entry: Entry, what: string): void {
  entry.refuse('missing-endpoint', `The entry is incomplete: ${what}.`, {
    hint: 'Add a "command" to run, or a "url" with a "type".',
  })
}

function reportUntyped(entry: Entry, rules: EntryRules, hasCommand: boolean): void {
  const note = hasCommand ? rules.untypedCommandNote : rules.untypedUrlNote
  if (!note) return
  if (note.severity === 'error') entry.refuse(note.code, note.message)
  else entry.report(note.code, note.severity, note.message)
}

function setKind(draft: Draft, meaning: TransportMeaning): void {
  if (meaning === 'refused') return
  draft.kind = meaning === 'http+sse' ? 'http' : meaning
  if (meaning === 'http+sse') draft.fallback = 'sse'
}

/** Some clients have no type key: command or url decides. */
function hasTypes({ types }: EntryRules): boolean {
  for (const _word in types) return true
  return false
}

/** Reads the command of a local server with its arguments, folder and environment. */
export function readProcess(entry: Entry, rules: EntryRules, draft: Draft): void {
  readCommand(entry, rules, draft)
  const cwdKey = rules.keys?.cwd === null ? undefined : entry.firstOf(rules.keys?.cwd ?? ['cwd'])
  if (cwdKey) draft.cwd = entry.string(cwdKey)
  const envFileKey = rules.keys?.envFile ? entry.firstOf(rules.keys.envFile) : undefined
  if (envFileKey) draft.envFile = entry.string(envFileKey)
  const envKey = entry.firstOf(rules.keys?.env ?? ['env'])
  if (envKey) readEnv(entry, envKey, rules, draft)
}

function readCommand(entry: Entry, rules: EntryRules, draft: Draft): void {
  const key = entry.firstOf(rules.keys?.command ?? ['command'])
  const argsKey = entry.firstOf(rules.keys?.args ?? ['args'])
  const args = argsKey === undefined ? undefined : entry.strings(argsKey, 'error')
  if (args) draft.args = args
  if (key === undefined || rules.readCommand?.(entry, draft)) return
  const shape = rules.commandShape ?? 'string'
  const value = entry.get(key)
  if (shape !== 'string' && Array.isArray(value)) {
    const words = entry.strings(key, 'error')
    if (!words) return
    if (words.length === 0 || words[0] === '')
      return entry.refuse('missing-endpoint', 'The command is empty.', { key })
    draft.command = words[0]
    draft.args = [...words.slice(1), ...(args ?? [])]
    return
  }
  if (shape === 'list') {
    return entry.refuse('wrong-type', `"${key}" must be a list of strings.`, { key })
  }
  const command = entry.string(key, 'error')
  if (command === '') entry.refuse('missing-endpoint', 'The command is empty.', { key })
  else draft.command = command
}

function readEnv(entry: Entry, key: string, rules: EntryRules, draft: Draft): void {
  const object = entry.object(key, 'error')
  if (!object) return
  const env: Record<string, Value> = Object.create(null)
  const unset: string[] = []
  const converted: string[] = []
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === 'string') env[name] = value
    else if (value === null && rules.envCoerces) unset.push(name)
    else if (typeof value === 'number' || typeof value === 'boolean') {
      env[name] = String(value)
      converted.push(name)
    } else if (value !== null) {
      entry.refuse('wrong-type', `"${key}.${name}" must be a string.`, { key: [key, name] })
    }
  }
  if (converted.length > 0) {
    const message = `${key} ${converted.join(', ')}: converted to strings.`
    if (rules.envCoerces) entry.info('value-coerced', message, { key })
    else entry.warn('wrong-type', message, { key })
  }
  draft.env = env
  if (unset.length > 0) draft.unsetEnv = unset
}

/** Reads the address of a remote server and its headers. */
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

/** Parts that are replaced before the url is used, in any client's syntax, or a value that is looked up as a whole. */
const placeholders = /[${]|%\w+%|^!|^[A-Z_][A-Z\d_]*$/

/** Refuses an address that no request could be sent to. The text is not repeated: it may contain a secret. */
export function checkUrl(entry: Entry, rules: EntryRules, { kind, url, socketPath }: Draft): void {
  if (kind === undefined || kind === 'stdio' || url === undefined || socketPath !== undefined) return
  // A client with a rule of its own has refused it already.
  if (entry.refused) return
  if (placeholders.test(url) || rules.references?.test(url)) return
  const key = entry.firstOf(rules.keys?.url ?? ['url']) ?? 'url'
  const hint = 'Write an address that starts with http:// or https://.'
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed && /^https?:$/.test(parsed.protocol)) return
  const [scheme] = /^[a-z][a-z\d+.-]*:\/\//i.exec(url) ?? []
  const message = scheme === undefined || !parsed ? 'The url is not a URL.' : `The url starts with ${scheme}.`
  entry.refuse('invalid-url', message, { key, hint })
}

/** Reads a map of header values; also used for clients with a second map of headers. */
export function readHeaders(entry: Entry, key: string): Record<string, Value> | undefined {
  const object = entry.object(key, 'error')
  if (!object) return undefined
  const headers: Record<string, Value> = Object.create(null)
  for (const [name, value] of Object.entries(object)) {
    if (typeof value === 'string') headers[name] = value
    else if (typeof value === 'number' || typeof value === 'boolean') {
      headers[name] = String(value)
      entry.warn('wrong-type', `"${key}.${name}" was converted to a string.`, { key: [key, name] })
    } else if (value !== null) {
      entry.refuse('wrong-type', `"${key}.${name}" must be a string.`, { key: [key, name] })
    }
  }
  return headers
}
