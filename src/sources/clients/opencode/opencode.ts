import { isObject, toPointer, valueAt } from '../../../model/json.ts'
import type { JsonObject } from '../../../model/json.ts'
import type { Timeouts } from '../../../model/server.ts'
import { dropIdleSwitches, hasEndpoint } from '../../entries/combine.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { checkClientSecret, readOAuth, sameNames, writeOAuth } from '../oauth-fields.ts'
import { dropOtherTransport } from '../other-transport.ts'
import { readTimeout } from '../../entries/read-timeout.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import type { OpenFile, Report } from '../../source.ts'
import { tableAt, tablesOf, usableRoot } from '../../entries/server-tables.ts'
import type { Table } from '../../entries/server-tables.ts'
import type { NewServer, WriteRules, WrittenEntry } from '../../entries/write-rules.ts'

/** The first layout: servers directly under `mcp`, as also in Kilo Code's files. */
export const opencodeRules: EntryRules = {
  types: { local: 'stdio', remote: 'http+sse' },
  untypedUrl: 'http+sse',
  both: 'refuse',
  commandShape: 'list',
  keys: { args: [], env: ['environment'] },
  flag: 'enabled',
  timeouts: [{ key: 'timeout', unit: 'ms', sets: 'call-and-startup', min: 1, outside: 'refuse' }],
  checkPins: true,
  partial: true,
  auth: (entry) => readOAuth(entry, 'oauth'),
  finish: checkEntry,
}

/** The second layout: servers under `mcp.servers`, `disabled` as the switch, two timeouts. */
const nestedRules: EntryRules = {
  ...opencodeRules,
  flag: 'disabled',
  timeouts: [],
  finish(entry, draft) {
    checkEntry(entry, draft)
    readTimeouts(entry, draft)
  },
}

const writeClient = writeOAuth(
  'oauth',
  {
    fields: { ...sameNames('clientId', 'clientSecret', 'callbackPort', 'redirectUri'), scopes: 'scope' },
    scopes: 'text',
  },
  'false',
)

export const opencodeWrites: WriteRules = { typed: true, auth: writeClient, boundKeys: ['oauth'] }

export const opencode = createSource({
  id: 'opencode',
  title: 'opencode',
  reads: 'jsonc',
  roots: [['mcp']],
  rules: (file) => (isNested(file) ? nestedRules : opencodeRules),
  values: ({ folder }, { cwd }) => ({ syntaxes: ['opencode'], unset: 'empty', relativeTo: folder ?? cwd }),
  merge: 'deep',
  tables: (files, _world, report) => files.flatMap((file) => tablesIn(file, report)),
  settle: settleOpencode,
  writes: {
    ...opencodeWrites,
    root: (file) => (isNested(file) ? ['mcp', 'servers'] : ['mcp']),
    toEntry: (server, written, { file }) => (isNested(file) ? toNested(server, written) : written),
  },
})

/** Rules across entries, for opencode and its forks. */
export function settleOpencode(context: SettleContext): void {
  requireType(context)
  dropIdleSwitches(context.drafts)
  applyDefaultTimeouts(context)
  applyToolSwitches(context)
}

function tablesIn(file: OpenFile, report: Report): readonly Table[] {
  const root = usableRoot(file, 'jsonc', report)
  if (!root) return []
  if (!isNested(file)) return tablesOf(file, root, { roots: [['mcp']] }, report)
  report.add('layout-v2', 'info', 'This is the nested layout: mcp.servers, "disabled", a timeout object.', {
    file,
    pointer: '/mcp/servers',
  })
  const { servers: _servers, timeout: _timeout, ...others } = valueAt(root, ['mcp']) as JsonObject // isNested checked it
  for (const key of Object.keys(others)) {
    report.add('unknown-key', 'warn', `"${key}" is beside "servers", where no server is read.`, {
      file,
      pointer: toPointer(['mcp', key]),
    })
  }
  return [tableAt(file, root, ['mcp', 'servers'], report)].flatMap((table) => table ?? [])
}

/** In the first layout a server may be called "servers"; it then has a type or a flag. */
function isNested({ doc }: OpenFile): boolean {
  const servers = valueAt(doc.value, ['mcp', 'servers'])
  return isObject(servers) && typeof servers['type'] !== 'string' && typeof servers['enabled'] !== 'boolean'
}

/** Both kinds of entries have a closed set of keys. */
function checkEntry(entry: Entry, draft: Draft): void {
  checkClientSecret(entry, 'oauth')
  const process = ['environment', 'cwd']
  dropOtherTransport(entry, draft, { stdio: process, remote: ['headers', 'oauth'] }, (key) => {
    entry.warn('unknown-key', `"${key}" has no meaning for this type of server; it is ignored.`, { key })
  })
}

function readTimeouts(entry: Entry, draft: Draft): void {
  const timeout = entry.object('timeout')
  if (!timeout) return
  const inside = entry.entryUnder('timeout', timeout)
  readTimeout(inside, { key: 'startup', unit: 'ms', sets: 'startupMs', min: 1 }, draft)
  readTimeout(inside, { key: 'request', unit: 'ms', sets: 'callMs', min: 1 }, draft)
}

/** Converts to the second layout: two timeouts in one object, and a login in snake case. */
function toNested({ timeouts = {} }: NewServer, { entry, lost }: WrittenEntry): WrittenEntry {
  const { startupMs: startup, callMs: request } = timeouts
  const timeout = { ...(startup && { startup }), ...(request && { request }) }
  const { oauth } = entry
  return {
    entry: {
      ...entry,
      ...(Object.keys(timeout).length > 0 && { timeout }),
      ...(isObject(oauth) && { oauth: inSnakeCase(oauth) }),
    },
    lost: lost.filter(
      ({ field }) => !(field === 'startupTimeout' && startup) && !(field === 'timeout' && request),
    ),
  }
}

function inSnakeCase(fields: JsonObject): JsonObject {
  const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [snake(name), value]))
}

/** An entry may leave the type to a lower layer. If no layer has it, opencode refuses the file. */
function requireType({ drafts, report }: SettleContext): void {
  for (const draft of drafts) {
    if (!hasEndpoint(draft) || draft.file.role !== 'servers') continue
    if (draft.declared.some(({ entry }) => entry['type'] !== undefined)) continue
    const { file, name: server } = draft
    report.add('missing-type', 'error', 'The entry needs "type": "local" or "remote".', {
      file,
      pointer: draft.origin.pointer,
      server,
    })
    draft.refused = true
  }
}

function applyDefaultTimeouts({ drafts, files }: SettleContext): void {
  const defaults = files.map(defaultTimeouts).reduceRight((low, high) => ({ ...low, ...high }), {})
  for (const draft of drafts) draft.timeouts = { ...defaults, ...draft.timeouts }
}

function defaultTimeouts({ doc }: OpenFile): Timeouts {
  const startup = valueAt(doc.value, ['mcp', 'timeout', 'startup'])
  const request =
    valueAt(doc.value, ['mcp', 'timeout', 'request']) ?? valueAt(doc.value, ['experimental', 'mcp_timeout'])
  return {
    ...(typeof startup === 'number' && startup > 0 && { startupMs: startup }),
    ...(typeof request === 'number' && request > 0 && { callMs: request }),
  }
}

/**
 * Top-level `tools: { "srv_*": false }` and `permission: { "srv_*": "deny" }` switch tools by their names in opencode: the
 * server's name, an underscore, the tool's name.
 */
function applyToolSwitches({ drafts, files }: SettleContext): void {
  const switches = files.map(switchesIn).reduceRight((low, high) => ({ ...low, ...high }), {})
  const patterns = Object.entries(switches)
  for (const draft of drafts) {
    const off = patterns.flatMap(([pattern, on]) => (on ? [] : (patternFor(draft, pattern) ?? [])))
    const on = patterns.flatMap(([pattern, isOn]) => (isOn ? (patternFor(draft, pattern) ?? []) : []))
    filterTools(draft, off, on)
  }
}

function switchesIn({ doc }: OpenFile): Readonly<Record<string, boolean>> {
  const tools = valueAt(doc.value, ['tools'])
  const permissions = valueAt(doc.value, ['permission'])
  const bySwitch = Object.entries(isObject(tools) ? tools : {}).flatMap(([pattern, on]) =>
    typeof on === 'boolean' ? [[pattern, on] as const] : [],
  )
  const byRule = Object.entries(isObject(permissions) ? permissions : {}).flatMap(([pattern, rule]) =>
    typeof rule === 'string' ? [[pattern, rule !== 'deny'] as const] : [],
  )
  return Object.fromEntries([...bySwitch, ...byRule])
}

/** The part of a pattern that applies to this server's tools, if any. */
function patternFor({ name }: Draft, pattern: string): string | undefined {
  const prefix = `${name.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}_`
  if (pattern.startsWith(prefix)) return pattern.slice(prefix.length) || undefined
  return pattern.endsWith('*') && prefix.startsWith(pattern.slice(0, -1)) ? '*' : undefined
}

/** "All off, with exceptions" becomes an allow list. */
function filterTools(draft: Draft, off: readonly string[], on: readonly string[]): void {
  const exceptions = on.filter((pattern) => pattern !== '*')
  const listed = off.includes('*') && exceptions.length > 0
  if (listed) draft.allow = exceptions
  const deny = listed ? off.filter((pattern) => pattern !== '*') : off
  if (deny.length > 0) draft.deny = [...(draft.deny ?? []), ...deny]
}
