import { isObject, isStringArray } from '../../../model/json.ts'
import type { JsonObject } from '../../../model/json.ts'
import type { Auth } from '../../../model/server.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { checkClientSecret, readOAuth, withoutAbsent } from '../oauth-fields.ts'
import { dropIdleSwitches } from '../../entries/combine.ts'
import { reportPiFiles, piRoots, piTables } from './pi-layers.ts'
import { readHeaders } from '../../entries/read-endpoint.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import { checkLiteral } from '../../entries/check-literals.ts'
import type { NewServer, WriteRules, WrittenEntry } from '../../entries/write-rules.ts'

const rules: EntryRules = {
  types: {},
  typeKeys: [],
  untypedUrl: 'http+sse',
  both: 'command',
  flag: 'disabled',
  timeouts: [
    { key: 'requestTimeoutMs', unit: 'ms', sets: 'callMs', ignoredBelow: 1 },
    { key: 'idleTimeout', unit: 'min', sets: 'idleMs', zeroMeansNone: true },
  ],
  allowKey: 'includeTools',
  denyKey: 'excludeTools',
  emptyAllowMeansAll: true,
  filterConflict: true,
  descriptionKey: 'description',
  checkPins: true,
  partial: true,
  known: [
    'type', // other readers of `.mcp.json` require it
    'approveTools',
    'debug',
    'directTools',
    'exposeResources',
    'literalEnv',
    'pluginDataDir',
    'searchKeywords',
    'tasks',
    'toolPrefix',
    'trace',
  ],
  auth: readAuth,
  finish(entry, draft) {
    readSocket(entry)
    readLifecycle(entry, draft)
    readHttp(entry, draft)
    const inheritEnv = entry.boolean('inheritEnv')
    if (inheritEnv !== undefined) {
      draft.inheritEnv = inheritEnv
      draft.extra['inheritEnv'] = inheritEnv
    }
    draft.protocol = oneOf(entry, 'protocolVersion', ['legacy', 'auto', '2026-07-28'])
  },
}

/** Entries of other clients, with the keys that the adapter translates. Their other keys are not reported. */
const importRules: EntryRules = {
  ...rules,
  commandShape: 'either',
  keys: { env: ['env', 'environment'] },
  finish(entry, draft) {
    rules.finish?.(entry, draft)
    readCodex(entry, draft)
    for (const key of entry.unreadKeys()) draft.extra[key] = entry.get(key) ?? null
  },
}

const writes: WriteRules = {
  auth: writeAuth,
  boundKeys: [
    'auth',
    'oauth',
    'bearerToken',
    'bearerTokenEnv',
    'bearerTokenStore',
    'requestHeadersCommand',
    'caFile',
    'httpTransport',
    'inheritEnv',
    'literalEnv',
  ],
  toEntry: writeHttpTransport,
}

/** The files of pi-mcp-adapter. A partial entry changes the one below it, a complete one hides it. */
export const pi = createSource({
  id: 'pi',
  title: 'pi',
  reads: 'unsure',
  roots: piRoots,
  rules: ({ role }) => (role === 'servers' ? rules : importRules),
  values: { syntaxes: ['braces', 'dollar-env'], unset: 'keep', tilde: true },
  merge: 'override',
  tables: piTables,
  settle(context) {
    dropIdleSwitches(context.drafts)
    reportPiFiles(context)
  },
  writes,
})

function readAuth(entry: Entry): Auth | undefined {
  const oauth = readOAuth(entry, 'oauth')
  checkClientSecret(entry, 'oauth')
  const bearer = readBearer(entry)
  const word = entry.get('auth')
  if (word === false) return { type: 'none' }
  if (isObject(word)) return { ...word, type: 'provider' }
  if (word !== undefined && word !== 'oauth' && word !== 'bearer') {
    entry.warn('wrong-type', '"auth" must be "oauth", "bearer" or false. It is ignored.', { key: 'auth' })
  }
  if (bearer && (word === 'oauth' || oauth?.type === 'oauth')) {
    entry.warn('auth-conflict', 'The entry has both a bearer token and OAuth; keep one.')
  }
  if (word === 'oauth') return { ...oauth, type: 'oauth' }
  if (word === 'bearer') return { ...bearer, type: 'bearer' }
  return bearer ?? oauth
}

function readBearer(entry: Entry): Auth | undefined {
  const token = entry.string('bearerToken')
  const tokenEnv = entry.string('bearerTokenEnv')
  checkLiteral(entry, ['bearerToken'])
  if (entry.boolean('bearerTokenStore')) {
    entry.info('secret-store', 'The token comes from the credential store of pi-mcp-adapter.', {
      key: 'bearerTokenStore',
    })
    return { type: 'bearer', store: true }
  }
  if (tokenEnv !== undefined) return { type: 'bearer', tokenEnv }
  return token === undefined ? undefined : { type: 'bearer', token }
}

function readSocket(entry: Entry): void {
  if (!entry.has('socket')) return
  entry.refuse('unsupported-transport', 'A server with its own socket is not supported.', {
    key: 'socket',
    hint: 'Start it with "command", or connect to it with "url".',
  })
}

function readLifecycle(entry: Entry, draft: Draft): void {
  const mode = oneOf(entry, 'lifecycle', ['lazy', 'lazy-keep-alive', 'eager', 'keep-alive'])
  if (mode === undefined) return
  draft.extra['lifecycle'] = mode
  draft.lifecycle = mode.startsWith('lazy') ? 'lazy' : 'eager'
}

function readHttp(entry: Entry, draft: Draft): void {
  const transport = oneOf(entry, 'httpTransport', ['streamable-http', 'sse'])
  if (transport !== undefined && draft.kind === 'http') {
    draft.kind = transport === 'sse' ? 'sse' : 'http'
    draft.fallback = undefined
  }
  const caFile = entry.string('caFile')
  if (caFile !== undefined) draft.tls = { caFile }
  const helper = entry.object('requestHeadersCommand')
  if (!helper) return
  draft.extra['requestHeadersCommand'] = helper
  draft.headersCommand = lineOf(helper)
  entry.warn('runs-command', `"${draft.headersCommand}" runs for every request to build headers.`, {
    key: 'requestHeadersCommand',
  })
}

function lineOf({ command, args }: JsonObject): string {
  const words = [...(typeof command === 'string' ? [command] : []), ...(isStringArray(args) ? args : [])]
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
}

function readCodex(entry: Entry, draft: Draft): void {
  const tokenEnv = entry.string('bearer_token_env_var')
  if (tokenEnv !== undefined) draft.auth ??= { type: 'bearer', tokenEnv }
  const literal = entry.has('http_headers') ? readHeaders(entry, 'http_headers') : undefined
  const named = entry.has('env_http_headers') ? readHeaders(entry, 'env_http_headers') : undefined
  if (!literal && !named) return
  const fromEnv = Object.entries(named ?? {}).flatMap(([header, name]) =>
    typeof name === 'string' ? [[header, { env: name }] as const] : [],
  )
  draft.headers = { ...Object.fromEntries(fromEnv), ...draft.headers, ...literal }
}

function oneOf<T extends string>(entry: Entry, key: string, allowed: readonly T[]): T | undefined {
  const value = entry.string(key)
  const found = allowed.find((word) => word === value)
  if (value !== undefined && found === undefined) {
    entry.warn('out-of-range', `"${key}" must be one of ${allowed.join(', ')}; "${value}" is ignored.`, {
      key,
    })
  }
  return found
}

function writeAuth(auth: Auth): JsonObject | undefined {
  const { type, ...fields } = withoutAbsent(auth)
  const { token, tokenEnv, store } = fields
  if (type === 'none') return { auth: false }
  if (type === 'oauth') return { auth: type, ...(Object.keys(fields).length > 0 && { oauth: fields }) }
  if (type !== 'bearer') return undefined
  return {
    auth: type,
    ...(token !== undefined && { bearerToken: token }),
    ...(tokenEnv !== undefined && { bearerTokenEnv: tokenEnv }),
    ...(store === true && { bearerTokenStore: true }),
  }
}

/** Writes `httpTransport` for SSE: a url alone does not determine the transport. */
function writeHttpTransport({ transport }: NewServer, { entry, lost }: WrittenEntry): WrittenEntry {
  if (transport.kind !== 'sse') return { entry, lost }
  return {
    entry: { ...entry, httpTransport: 'sse' },
    lost: lost.filter(({ field }) => field !== 'transport'),
  }
}
