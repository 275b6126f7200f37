import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Value } from '../model/server.ts'
import type { Draft } from './draft.ts'
import { Entry } from './entry.ts'
import { looksSecret } from './secret-names.ts'
import type { EntryRules, Means, TimeoutRule } from './rules.ts'
import { originIn, placeIn } from './source.ts'
import type { OpenFile, Report } from './source.ts'

/** Reads one entry by its owner's rules. The draft is always returned, so that a refused entry can be shown. */
export function readEntry(
  source: string,
  rules: EntryRules,
  at: { name: string; path: readonly (string | number)[]; value: JsonObject; file: OpenFile },
  report: Report,
): Draft {
  const entry = new Entry(at.name, at.path, at.value, at.file, report, rules.nestedUnder)
  const origin = originIn(source, at.file, entry.pointer)
  const draft: Draft = {
    name: at.name,
    file: at.file,
    origin,
    declared: [{ origin, entry: at.value, placeOf: (pointer) => placeIn(at.file, pointer) }],
    refused: false,
    timeouts: {},
    extra: {},
  }
  checkName(entry, rules)
  readEndpoint(entry, rules, draft)
  readProcess(entry, rules, draft)
  readRemote(entry, rules, draft)
  readFlag(entry, rules, draft)
  for (const rule of rules.timeouts ?? []) readTimeout(entry, rule, draft)
  readTools(entry, rules, draft)
  draft.title = rules.titleKey ? entry.string(rules.titleKey) : undefined
  draft.description = rules.descriptionKey ? entry.string(rules.descriptionKey) : undefined
  draft.auth = rules.auth?.(entry)
  rules.finish?.(entry, draft)
  keepTheRest(entry, rules, draft)
  checkSecrets(entry, rules, draft)
  draft.refused = entry.refused
  return draft
}

function checkName(entry: Entry, rules: EntryRules): void {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (entry.name === '' || entry.name.length > 100 || /[\u0000-\u001f\u007f]/.test(entry.name)) {
    entry.refuse('invalid-name', 'A server name is 1 to 100 characters without control characters.')
  } else if (rules.badName?.pattern.test(entry.name)) {
    entry.refuse('invalid-name', rules.badName.message)
  }
}

function readEndpoint(entry: Entry, rules: EntryRules, draft: Draft): void {
  const typeKey = entry.firstOf(rules.typeKeys ?? ['type']) ?? 'type'
  const word = Object.keys(rules.types).length > 0 ? entry.string(typeKey, 'error') : undefined
  const commandKey = entry.firstOf(rules.keys?.command ?? ['command'])
  const urlKey = firstUrl(entry, rules)
  const byKey = urlKey === undefined ? undefined : rules.urlMeans?.[urlKey]
  const means =
    byKey ?? (word !== undefined && Object.hasOwn(rules.types, word) ? rules.types[word] : undefined)

  if (word !== undefined && means === undefined) {
    const known = Object.keys(rules.types).join(', ')
    entry.refuse('unknown-transport', `"${word}" is not a transport; it is one of ${known}.`, {
      key: typeKey,
    })
    return
  }
  if (means === 'refused') {
    entry.refuse('unsupported-transport', `The transport "${word}" is not supported.`, { key: typeKey })
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

function readProcess(entry: Entry, rules: EntryRules, draft: Draft): void {
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
    const message = `${key} ${converted.join(', ')}: converted to text.`
    if (rules.envCoerces) entry.info('value-coerced', message, { key })
    else entry.warn('wrong-type', message, { key })
  }
  draft.env = env
  if (unset.length > 0) draft.unsetEnv = unset
}

function readRemote(entry: Entry, rules: EntryRules, draft: Draft): void {
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

function readFlag(entry: Entry, rules: EntryRules, draft: Draft): void {
  if (!rules.flag) return
  const enabled = rules.flag === 'disabled' ? undefined : entry.boolean('enabled')
  const disabled = rules.flag === 'enabled' ? undefined : entry.boolean('disabled')
  if (enabled !== undefined && disabled !== undefined && enabled === disabled) {
    entry.warn('flag-conflict', '"enabled" and "disabled" disagree; the server stays off.')
    draft.enabled = false
  } else if (enabled !== undefined) draft.enabled = enabled
  else if (disabled !== undefined) draft.enabled = !disabled
}

const unitMs = { ms: 1, s: 1000, min: 60_000 } as const

export function readTimeout(entry: Entry, rule: TimeoutRule, draft: Draft): void {
  const { key, unit } = rule
  let value = entry.number(key)
  if (value === undefined) return
  draft.extra[key] = value // the raw value, in the owner's unit
  if (value === 0 && rule.zeroMeansNone) {
    entry.info('timeout-disabled', `${key} 0 turns the timeout off.`, { key })
  } else if (value < (rule.min ?? 0) || value > (rule.max ?? Infinity) || !Number.isFinite(value)) {
    const bounds = `${rule.min ?? 0} to ${rule.max ?? 'any'} ${unit}`
    const message = `${key} ${value} is outside ${bounds}`
    if (rule.outside === 'refuse') return entry.refuse('out-of-range', `${message}.`, { key })
    if (rule.outside !== 'clamp') return entry.warn('out-of-range', `${message}; it is ignored.`, { key })
    value = Math.min(Math.max(value, rule.min ?? 0), rule.max ?? value)
    entry.warn('out-of-range', `${message}; ${value} is used.`, { key })
  } else if (rule.ignoredBelow !== undefined && value < rule.ignoredBelow) {
    return entry.warn(
      'timeout-ignored',
      `${key} below ${rule.ignoredBelow} ${unit} is ignored by the owner.`,
      { key },
    )
  } else if (
    (unit === 'ms' && value > 0 && value < 1000) ||
    (unit === 's' && value >= 1000 && rule.max === undefined)
  ) {
    const other = unit === 'ms' ? 'seconds' : 'milliseconds'
    entry.warn('timeout-unit-suspect', `${key} is in ${unit}; ${value} looks like ${other}.`, { key })
  }
  const ms = Math.round(value * unitMs[unit])
  draft.timeouts =
    rule.sets === 'call-and-startup'
      ? { ...draft.timeouts, callMs: ms, startupMs: ms }
      : { ...draft.timeouts, [rule.sets]: ms }
}

function readTools(entry: Entry, rules: EntryRules, draft: Draft): void {
  const { allowKey, denyKey, autoApproveKey } = rules
  if (allowKey) {
    const allow = entry.strings(allowKey)
    if (allow)
      draft.allow = allow.includes('*') || (rules.emptyAllowMeansAll && allow.length === 0) ? null : allow
    if (draft.allow?.length === 0) {
      entry.warn('no-tools', `${allowKey} is an empty list: no tool is enabled.`, { key: allowKey })
    }
  }
  if (denyKey) draft.deny = entry.strings(denyKey)
  if (autoApproveKey) {
    draft.autoApprove = entry.strings(autoApproveKey)
    if (draft.autoApprove?.includes('*')) {
      entry.warn('auto-approve-all', `${autoApproveKey} approves every tool in advance.`, {
        key: autoApproveKey,
      })
    }
  }
  const both = draft.allow?.filter((tool) => draft.deny?.includes(tool)) ?? []
  if (rules.filterConflict && both.length > 0) {
    entry.info('tool-filter-conflict', `${both.join(', ')}: both allowed and denied; denied wins.`)
  }
}

function keepTheRest(entry: Entry, rules: EntryRules, draft: Draft): void {
  const known = new Set(rules.known)
  for (const key of entry.unasked()) {
    const value = entry.get(key)
    if (value !== undefined) draft.extra[key] = value
    if (!known.has(key) && key !== '$schema') {
      entry.warn('unknown-key', `"${key}" is not a key that is read here; it is ignored.`, { key })
    }
  }
}

/** A literal under a secret's name: it works, and it is in a file that gets copied around. */
function checkSecrets(entry: Entry, rules: EntryRules, draft: Draft): void {
  const maps: readonly [string | undefined, Draft['headers']][] = [
    [entry.firstOf(rules.keys?.headers ?? ['headers']), draft.headers],
    [entry.firstOf(rules.keys?.env ?? ['env']), draft.env],
  ]
  for (const [key, values] of maps) {
    if (key === undefined || !isObject(values)) continue
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== 'string' || rules.references?.test(value) || !looksSecret(name, value)) continue
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
