import { nearest } from '../../model/near.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { checkLiterals } from './check-literals.ts'
import type { Draft } from './server-draft.ts'
import { Entry } from './raw-entry.ts'
import { checkUrl, readEndpoint, readProcess, readRemote } from './read-endpoint.ts'
import { readTimeout } from './read-timeout.ts'
import type { EntryRules } from './entry-rules.ts'
import { originIn, placeIn } from '../source.ts'
import type { OpenFile, Report } from '../source.ts'

/** Reads one entry by its client's rules. A refused entry also returns a draft, so that it can be shown. */
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
    declared: [
      {
        origin,
        entry: at.value,
        ...(rules.flag && { switches: switchKeys[rules.flag] }),
        placeOf: (pointer) => placeIn(at.file, pointer),
      },
    ],
    ...(at.file.authority === 'project' && { folder: at.file.folder ?? at.file.root }),
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
  keepOneEndpoint(entry, rules, draft)
  checkUrl(entry, rules, draft)
  keepOtherKeys(entry, rules, draft)
  checkLiterals(entry, rules, draft)
  draft.refused = entry.refused
  return draft
}

/** If an entry has both a command and a url, drops the one that is not used. */
function keepOneEndpoint(entry: Entry, { keys }: EntryRules, draft: Draft): void {
  const hasCommand = entry.firstOf(keys?.command ?? ['command']) !== undefined
  const hasUrl = entry.firstOf(keys?.url ?? ['url']) !== undefined
  if (draft.kind === undefined || !hasCommand || !hasUrl) return
  if (draft.kind === 'stdio') Object.assign(draft, { url: undefined, headers: undefined })
  else Object.assign(draft, { command: undefined, args: undefined, env: undefined, cwd: undefined })
}

function checkName(entry: Entry, rules: EntryRules): void {
  // eslint-disable-next-line no-control-regex -- the pattern must match control characters
  if (entry.name === '' || entry.name.length > 100 || /[\u0000-\u001f\u007f]/.test(entry.name)) {
    entry.refuse('invalid-name', 'A server name is 1 to 100 characters without control characters.')
  } else if (rules.badName?.pattern.test(entry.name)) {
    entry.refuse('invalid-name', rules.badName.message)
  }
}

const switchKeys = {
  enabled: ['enabled'],
  disabled: ['disabled'],
  either: ['enabled', 'disabled'],
} as const satisfies Record<NonNullable<EntryRules['flag']>, readonly string[]>

function readFlag(entry: Entry, rules: EntryRules, draft: Draft): void {
  if (!rules.flag) return
  const severity = rules.failsClosed ? 'error' : 'warn'
  const enabled = rules.flag === 'disabled' ? undefined : entry.boolean('enabled', severity)
  const disabled = rules.flag === 'enabled' ? undefined : entry.boolean('disabled', severity)
  if (enabled !== undefined && disabled !== undefined && enabled === disabled) {
    entry.warn('flag-conflict', '"enabled" and "disabled" disagree; the server stays off.')
    draft.enabled = false
  } else if (enabled !== undefined) draft.enabled = enabled
  else if (disabled !== undefined) draft.enabled = !disabled
}

function keepOtherKeys(entry: Entry, rules: EntryRules, draft: Draft): void {
  const known = new Set(rules.known)
  for (const key of entry.unreadKeys()) {
    const value = entry.get(key)
    if (value !== undefined) draft.extra[key] = value
    if (known.has(key) || key === '$schema') continue
    if (isOff(key, value)) {
      entry.warn('unknown-key', `${entry.owner} ignores "${key}": the server is on.`, {
        key,
        hint: switchHint(rules),
      })
      continue
    }
    const [near] = nearest(key, rules.suggests ?? [])
    const hint = near === undefined ? {} : { hint: `Did you mean "${near}"?`, meant: near }
    const severity = near === undefined && !changesServer.test(key) ? 'info' : 'warn'
    entry.report('unknown-key', severity, `Unknown key "${key}"; it is ignored.`, { key, ...hint })
  }
}

function isOff(key: string, value: Json | undefined): boolean {
  return (key === 'disabled' && value === true) || (key === 'enabled' && value === false)
}

function switchHint({ flag }: EntryRules): string {
  if (flag === 'enabled' || flag === 'either') return 'Write "enabled": false.'
  return flag === 'disabled' ? 'Write "disabled": true.' : 'This client has no such key: remove the entry.'
}

/** Keys that mean something to other clients: an entry that relies on one of them works differently than it reads. */
const changesServer =
  /^(?:type|transport|command|cmd|args|env|envs|environment|env_?file|cwd|url|http_?url|server_?url|base_?url|uri|headers|http_?headers|auth|oauth|api_?key|bearer_?token\w*|token|timeout\w*|\w*_?timeout(?:_?(?:ms|sec))?|(?:allowed|denied|disabled|enabled|include|exclude|blocked|available)_?tools|tools|trust|always_?allow|auto_?approve|sandbox\w*)$/i

function readTools(entry: Entry, rules: EntryRules, draft: Draft): void {
  const severity = rules.failsClosed ? 'error' : 'warn'
  const { allowKey, denyKey, autoApproveKey } = rules
  if (allowKey) {
    const allow = entry.strings(allowKey, severity)
    if (allow)
      draft.allow = allow.includes('*') || (rules.emptyAllowMeansAll && allow.length === 0) ? null : allow
    if (draft.allow?.length === 0) {
      entry.warn('no-tools', `${allowKey} is an empty list, so no tool is enabled.`, { key: allowKey })
    }
  }
  if (denyKey) draft.deny = entry.strings(denyKey, severity)
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
