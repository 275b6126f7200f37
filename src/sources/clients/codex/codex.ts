import { isObject } from '../../../model/json.ts'
import type { Json, JsonObject } from '../../../model/json.ts'
import type { Auth, Value } from '../../../model/server.ts'
import { approvalOf, localName, reportUnsetNames, reportUntrusted } from './codex-layers.ts'
import type { ValueField } from '../../entries/template.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { readOAuth, writeClient } from '../oauth-fields.ts'
import { dropIdleSwitches } from '../../entries/combine.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import type { LostField, VariableNames, WriteRules } from '../../entries/write-rules.ts'

const stdioKeys = ['args', 'env', 'env_vars', 'cwd', 'environment_id']
const remoteKeys = [
  'http_headers',
  'env_http_headers',
  'bearer_token_env_var',
  'http_headers_helper',
  'auth',
  'scopes',
  'oauth',
  'oauth_resource',
]
const approvalModes = ['auto', 'prompt', 'writes', 'approve']

/** Rules for the tables of `config.toml`, which Warp reads too. */
export const codexRules: EntryRules = {
  types: {},
  typeKeys: [], // Codex has no type key and ignores one that another program wrote
  untypedUrl: 'http',
  both: 'refuse',
  keys: { headers: ['http_headers'] },
  flag: 'enabled',
  timeouts: [
    { key: 'startup_timeout_ms', unit: 'ms', sets: 'startupMs', outside: 'refuse', deprecated: true },
    { key: 'startup_timeout_sec', unit: 's', sets: 'startupMs', outside: 'refuse', fractions: true },
    { key: 'tool_timeout_sec', unit: 's', sets: 'callMs', outside: 'refuse', fractions: true },
  ],
  allowKey: 'enabled_tools',
  denyKey: 'disabled_tools',
  known: ['required', 'supports_parallel_tool_calls', 'omit_tools_from', 'environment_id'],
  badName: {
    pattern: /[^a-zA-Z0-9_-]/,
    message: 'Codex allows only letters, digits, "_" and "-" in a name.',
  },
  checkPins: true,
  partial: true,
  auth: readAuth,
  finish(entry, draft) {
    readEnvNames(entry, draft)
    readHeadersFromEnv(entry, draft)
    readHelper(entry, draft)
    readApproval(entry, draft)
    checkAuth(entry, draft)
    refuseForeignKeys(entry, draft)
    if (entry.has('startup_timeout_ms')) {
      entry.info('deprecated-key', 'startup_timeout_ms: use startup_timeout_sec.', {
        key: 'startup_timeout_ms',
      })
    }
  },
}

/** Codex has no placeholders: values from variables have keys of their own that hold the variable's name. */
export const codexWrites: WriteRules = {
  auth: writeAuth,
  variables: writeNames,
  valueKeys: ['env_vars', 'env_http_headers'],
  boundKeys: [
    'bearer_token_env_var',
    'http_headers_helper',
    'auth',
    'scopes',
    'oauth',
    'oauth_resource',
    'environment_id',
  ],
}

/** TOML tables, merged key by key from the nearest project down to the system. Values have no placeholders. */
export const codex = createSource({
  id: 'codex',
  title: 'Codex',
  reads: 'strict',
  roots: [['mcp_servers']],
  rules: codexRules,
  values: { syntaxes: [], unset: 'keep', literalPlaceholders: 'report', variableKey },
  merge: 'deep',
  settle(context) {
    dropIdleSwitches(context.drafts)
    for (const draft of context.drafts) draft.approval = approvalOf(draft.declared.map(({ entry }) => entry))
    reportUntrusted(context)
    reportUnsetNames(context)
  },
  writes: codexWrites,
})

/** Codex takes variables by name, under keys of their own. */
function variableKey(
  { field, key }: { readonly field: ValueField; readonly key: string | number },
  name: string,
): string | undefined {
  if (field === 'env') return `Codex passes variables on by name: env_vars = ["${name}"].`
  if (field !== 'headers') return undefined
  return String(key).toLowerCase() === 'authorization'
    ? `Codex reads a bearer token from a variable: bearer_token_env_var = "${name}".`
    : `Codex reads headers from variables: env_http_headers = { "${key}" = "${name}" }.`
}

/** Reads a bearer token from a variable, with OAuth beside it; or OAuth alone. */
function readAuth(entry: Entry): Auth | undefined {
  const tokenEnv = entry.string('bearer_token_env_var', 'error')
  const kind = oneOf(entry, 'auth', ['oauth', 'chatgpt'])
  const { type: _oauth, ...client } = readOAuth(entry, 'oauth') ?? { type: 'oauth' }
  const scopes = entry.strings('scopes')
  const resource = entry.string('oauth_resource')
  const oauth = { ...client, ...(scopes && { scopes }), ...(resource !== undefined && { resource }) }
  const hasOAuth = Object.keys(oauth).length > 0
  // Every field of an oauth table came out of a parsed file.
  if (tokenEnv !== undefined) return { type: 'bearer', tokenEnv, ...(hasOAuth && { oauth: oauth as Json }) }
  return hasOAuth || kind !== undefined ? { ...oauth, type: kind ?? 'oauth' } : undefined
}

/** `env_vars`: local variables that are passed on. Remote ones exist only where Codex runs the server. */
function readEnvNames(entry: Entry, draft: Draft): void {
  const list = entry.get('env_vars')
  if (list === undefined) return
  if (!Array.isArray(list) || !list.every(isEnvName)) {
    return entry.refuse('wrong-type', '"env_vars" must be a list of names.', { key: 'env_vars' })
  }
  const local = list.flatMap((item) => localName(item) ?? [])
  if (local.length > 0) draft.passEnv = local
  if (local.length < list.length) draft.extra['env_vars'] = list
}

function isEnvName(item: Json): boolean {
  if (typeof item === 'string') return true
  if (!isObject(item) || typeof item['name'] !== 'string') return false
  return ['local', 'remote', undefined].includes(item['source'] as string | undefined) // only compared, so the type does not matter
}

function readHeadersFromEnv(entry: Entry, draft: Draft): void {
  const names = entry.object('env_http_headers', 'error')
  if (!names) return
  const headers: Record<string, Value> = Object.create(null)
  for (const [header, name] of Object.entries(names)) {
    if (typeof name === 'string') headers[header] = { env: name }
    else {
      const key = ['env_http_headers', header]
      entry.refuse('wrong-type', `"env_http_headers.${header}" must be the name of a variable.`, { key })
    }
  }
  draft.headers = { ...draft.headers, ...headers }
}

function readHelper(entry: Entry, draft: Draft): void {
  const command = entry.string('http_headers_helper')
  if (command === undefined) return
  draft.headersCommand = command
  entry.warn('runs-command', 'http_headers_helper runs a command to build headers.', {
    key: 'http_headers_helper',
  })
}

function readApproval(entry: Entry, draft: Draft): void {
  const mode = oneOf(entry, 'default_tools_approval_mode', approvalModes)
  for (const [tool, settings] of Object.entries(entry.object('tools') ?? {})) {
    const own = isObject(settings) ? settings['approval_mode'] : undefined
    if (own === undefined || (typeof own === 'string' && approvalModes.includes(own))) continue
    refuseValue(entry, ['tools', tool, 'approval_mode'], approvalModes)
  }
  if (mode === 'approve') {
    const key = 'default_tools_approval_mode'
    entry.warn('auto-approve-all', `${key} "approve" approves every tool in advance.`, { key })
  }
  draft.approval = approvalOf([entry.value])
}

function oneOf(entry: Entry, key: string, words: readonly string[]): string | undefined {
  const word = entry.string(key, 'error')
  if (word === undefined || words.includes(word)) return word
  refuseValue(entry, [key], words)
  return undefined
}

function refuseValue(entry: Entry, key: readonly string[], words: readonly string[]): void {
  entry.refuse('wrong-type', `"${key.join('.')}" must be one of ${words.join(', ')}.`, { key })
}

/** A token from a variable and an Authorization header would both set the same header. */
function checkAuth(entry: Entry, draft: Draft): void {
  if (!entry.has('bearer_token_env_var')) return
  const header = Object.keys(draft.headers ?? {}).find((name) => name.toLowerCase() === 'authorization')
  if (header === undefined && entry.get('auth') !== 'chatgpt') return
  entry.warn('auth-conflict', `bearer_token_env_var and ${header ?? 'auth'} both authenticate; keep one.`)
}

/** Codex refuses a server with keys of the transport it does not use. */
function refuseForeignKeys(entry: Entry, draft: Draft): void {
  if (entry.has('bearer_token')) {
    entry.refuse('unsupported-in-client', 'Codex allows no token in the file: use bearer_token_env_var.', {
      key: 'bearer_token',
    })
  }
  const foreign = draft.kind === 'stdio' ? remoteKeys : draft.kind === 'http' ? stdioKeys : []
  const transport = draft.kind === 'stdio' ? 'a command' : 'a url'
  for (const key of foreign.filter((name) => Object.hasOwn(entry.value, name))) {
    entry.refuse('unsupported-in-client', `Codex refuses "${key}" together with ${transport}.`, { key })
  }
}

/** A variable can be passed on only under its own name. */
function writeNames({ env, headers }: VariableNames): ReturnType<NonNullable<WriteRules['variables']>> {
  const passed = Object.keys(env).filter((name) => env[name] === name)
  const renamed = Object.entries(env).filter(([name, variable]) => name !== variable)
  return {
    entry: {
      ...(passed.length > 0 && { env_vars: passed }),
      ...(Object.keys(headers).length > 0 && { env_http_headers: headers }),
    },
    rest: { env: Object.fromEntries(renamed), headers: {} },
  }
}

const writeFields = writeClient({ fields: { clientId: 'client_id', callbackPort: 'callback_port' } })

function writeAuth({ type, tokenEnv, oauth, ...client }: Auth, lost: LostField[]): JsonObject | undefined {
  if (type === 'bearer' && typeof tokenEnv === 'string') {
    return { bearer_token_env_var: tokenEnv, ...(isObject(oauth) && writeLogin(oauth, lost)) }
  }
  if (type !== 'oauth' && type !== 'chatgpt') return undefined
  const login = writeLogin(client, lost)
  return type === 'chatgpt' ? { auth: type, ...login } : login
}

/** The OAuth client is a table; scopes and resource are keys beside it. */
function writeLogin(
  { scopes, resource, ...client }: Readonly<Record<string, Json | undefined>>,
  lost: LostField[],
): JsonObject {
  const oauth = writeFields({ ...client, type: 'oauth' }, lost) ?? {}
  return {
    ...(Object.keys(oauth).length > 0 && { oauth }),
    ...(scopes !== undefined && { scopes }),
    ...(resource !== undefined && { oauth_resource: resource }),
  }
}
