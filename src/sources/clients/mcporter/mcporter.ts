import { dirname } from 'node:path'
import { isObject } from '../../../model/json.ts'
import type { Json, JsonObject } from '../../../model/json.ts'
import type { Auth } from '../../../model/server.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { mcporterRoots, mcporterTables } from './mcporter-layers.ts'
import { commandKeys, entryKeys, spellings, urlKeys } from './mcporter-schema.ts'
import { toScopes, writeClient } from '../oauth-fields.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import { checkLiteral } from '../../entries/check-literals.ts'
import type { LostField, NewServer, WriteRules, WrittenEntry } from '../../entries/write-rules.ts'

/** A url wins over a command; there is no `type`. */
const common = {
  types: {},
  typeKeys: [],
  untypedUrl: 'http+sse',
  both: 'url',
  commandShape: 'either',
  descriptionKey: 'description',
  checkPins: true,
  auth: readAuth,
} as const satisfies EntryRules

const rules: EntryRules = {
  ...common,
  keys: { command: commandKeys, url: urlKeys },
  allowKey: 'allowedTools',
  denyKey: 'blockedTools',
  known: entryKeys,
  finish(entry, draft) {
    splitCommand(entry, draft)
    readTools(entry, draft)
    readLifecycle(entry, draft)
    const protocol = valueOf(entry, 'protocolVersion')
    if (protocol === 'auto' || protocol === 'legacy' || protocol === '2026-07-28') draft.protocol = protocol
  },
}

/** From other clients' entries mcporter imports only the endpoint, the values and the login. */
const importRules: EntryRules = {
  ...common,
  keys: { command: commandKeys, url: urlKeys, cwd: null },
  finish(entry, draft) {
    splitCommand(entry, draft)
    dropOtherKeys(entry, draft)
  },
}

/** The keys of a login and our names for them. */
const oauthKeys: Readonly<Record<string, string>> = {
  oauthClientId: 'clientId',
  oauthClientSecret: 'clientSecret',
  oauthClientSecretEnv: 'clientSecretEnv',
  oauthTokenEndpointAuthMethod: 'tokenEndpointAuthMethod',
  oauthRedirectUrl: 'redirectUri',
  oauthScope: 'scopes',
}

const loginKeys = [
  ...Object.keys(oauthKeys),
  'auth',
  'bearerToken',
  'bearerTokenEnv',
  'refresh',
  'oauthCommand',
]

const writes: WriteRules = {
  auth: writeAuth,
  boundKeys: [...loginKeys, 'tokenCacheDir'].flatMap(spellings),
  toEntry: fitSchema,
}

export const mcporter = createSource({
  id: 'mcporter',
  title: 'mcporter',
  reads: 'jsonc',
  roots: mcporterRoots,
  rules: ({ role }) => (role === 'servers' ? rules : importRules),
  values: ({ origin }) => ({
    syntaxes: ['braces', 'dollar-env'],
    unset: 'keep',
    tilde: true,
    relativeTo: dirname(origin.file),
  }),
  tables: mcporterTables,
  writes,
})

function valueOf(entry: Entry, key: string): Json | undefined {
  const spelling = entry.firstOf(spellings(key))
  return spelling === undefined ? undefined : entry.get(spelling)
}

function readAuth(entry: Entry): Auth | undefined {
  const login = Object.entries(oauthKeys).flatMap(([key, name]) => {
    const value = valueOf(entry, key)
    return value === undefined ? [] : [[name, name === 'scopes' ? toScopes(value) : value] as const]
  })
  const bearer = readBearer(entry)
  const named = readAuthType(entry)
  if (bearer && (named || login.length > 0)) {
    entry.warn('auth-conflict', 'The entry has both a bearer token and OAuth; keep one.')
  }
  for (const key of spellings('oauthClientSecret')) checkLiteral(entry, [key])
  if (named) return { ...bearer, ...Object.fromEntries(login), type: named }
  return bearer ?? (login.length > 0 ? { ...Object.fromEntries(login), type: 'oauth' } : undefined)
}

function readAuthType(entry: Entry): string | undefined {
  const word = entry.get('auth')
  if (word === undefined) return undefined
  if (typeof word !== 'string') {
    entry.warn('key-dropped-by-owner', 'mcporter does not import this "auth".', { key: 'auth' })
    return undefined
  }
  const known = ['oauth', 'refreshable_bearer'].find((name) => name === word.toLowerCase())
  if (!known) entry.warn('unsupported-in-client', `mcporter ignores auth "${word}".`, { key: 'auth' })
  return known
}

function readBearer(entry: Entry): Auth | undefined {
  const token = valueOf(entry, 'bearerToken')
  const tokenEnv = valueOf(entry, 'bearerTokenEnv')
  for (const key of spellings('bearerToken')) checkLiteral(entry, [key])
  if (token !== undefined && tokenEnv !== undefined) {
    entry.warn('auth-conflict', 'bearerToken and bearerTokenEnv are both set; the variable is used.')
  }
  if (tokenEnv !== undefined) return { type: 'bearer', tokenEnv }
  return token === undefined ? undefined : { type: 'bearer', token }
}

/** A command without args is split into words; a command that is a list includes its arguments, and `args` is ignored. */
function splitCommand(entry: Entry, draft: Draft): void {
  const declared = entry.get(entry.firstOf(commandKeys) ?? 'command')
  if (Array.isArray(declared) && entry.has('args')) {
    // A list with other values than texts and numbers is refused as a command, and has no arguments either.
    if (!declared.some((word) => typeof word === 'object')) draft.args = declared.slice(1).map(String)
    entry.warn('key-dropped-by-owner', 'args is ignored if the command is a list.', { key: 'args' })
  }
  if (typeof declared !== 'string' || (draft.args?.length ?? 0) > 0 || !declared.includes(' ')) return
  const [command, ...args] = wordsOf(declared)
  draft.command = command
  draft.args = args
}

/** Splits at spaces. Quotes keep a word together, and a backslash escapes the next character. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:\\.|"(?:\\.|[^"\\])*"?|'[^']*'?|[^\s"'\\])+/g) ?? []
  return words.map((word) =>
    word.replace(/\\(.)|["']/g, (_whole, escaped: string | undefined) => escaped ?? ''),
  )
}

function readTools(entry: Entry, draft: Draft): void {
  const allow = entry.strings('allowed_tools')
  if (allow) {
    draft.allow = allow
    if (allow.length === 0) {
      entry.warn('no-tools', 'allowed_tools is an empty list, so no tool is enabled.', {
        key: 'allowed_tools',
      })
    }
  }
  draft.deny = entry.strings('blocked_tools') ?? draft.deny
}

function readLifecycle(entry: Entry, draft: Draft): void {
  const lifecycle = entry.get('lifecycle')
  if (lifecycle === undefined) return
  draft.extra['lifecycle'] = lifecycle
  const idleMs = isObject(lifecycle) ? lifecycle['idleTimeoutMs'] : undefined
  if (typeof idleMs === 'number') draft.timeouts = { ...draft.timeouts, idleMs }
}

/** Keys that can be dropped without a warning, because they change nothing. */
const harmless = new Set(['type', 'transport', 'transportType', 'name', 'title', 'version', 'gallery', 'dev'])

function dropOtherKeys(entry: Entry, draft: Draft): void {
  for (const key of entry.unreadKeys()) {
    const value = entry.get(key)
    if (value === undefined) continue
    draft.extra[key] = value
    if (!harmless.has(key)) {
      entry.warn('key-dropped-by-owner', `mcporter does not import "${key}".`, { key })
    }
  }
}

const writeLogin = writeClient({
  fields: Object.fromEntries(Object.entries(oauthKeys).map(([key, name]) => [name, key])),
  scopes: 'text',
})

function writeAuth(auth: Auth, lost: LostField[]): JsonObject | undefined {
  const { type, token, tokenEnv } = auth
  if (type === 'bearer' && tokenEnv !== undefined) return { bearerTokenEnv: tokenEnv }
  if (type === 'bearer' && token !== undefined) return { bearerToken: token }
  const login = writeLogin(auth, lost)
  return login && { auth: 'oauth', ...login }
}

function fitSchema(server: NewServer, written: WrittenEntry): WrittenEntry {
  return keepIdleTime(server, keepOneList(server, protectCommand(server, written)))
}

/** Writes a command that contains spaces as a list, because mcporter would split a string. */
function protectCommand({ transport }: NewServer, { entry, lost }: WrittenEntry): WrittenEntry {
  const isSplit = transport.kind === 'stdio' && !transport.args?.length && /[\s"'\\]/.test(transport.command)
  return isSplit ? { entry: { ...entry, command: [transport.command] }, lost } : { entry, lost }
}

/** Writes only one of both lists: with both, mcporter refuses the whole file. */
function keepOneList({ tools = {} }: NewServer, { entry, lost }: WrittenEntry): WrittenEntry {
  const { allow, deny = [] } = tools
  if (!allow || deny.length === 0) return { entry, lost }
  const { blockedTools: _both, ...rest } = entry
  const reason = 'mcporter allows only one of both lists; the allowed tools are written.'
  return {
    entry: { ...rest, allowedTools: allow.filter((tool) => !deny.includes(tool)) },
    lost: [...lost, { field: 'deniedTools', reason }],
  }
}

function keepIdleTime({ timeouts = {} }: NewServer, { entry, lost }: WrittenEntry): WrittenEntry {
  const { idleMs } = timeouts
  if (idleMs === undefined || idleMs <= 0) return { entry, lost }
  return {
    entry: { ...entry, lifecycle: { mode: 'keep-alive', idleTimeoutMs: idleMs } },
    lost: lost.filter(({ field }) => field !== 'idleStopMs'),
  }
}
