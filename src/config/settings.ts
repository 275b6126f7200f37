import { join } from 'node:path'
import type { Diagnostic, Place } from '../model/diagnostic.ts'
import { isObject, isStringArray, toPointer, valueAt } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Server } from '../model/server.ts'
import type { Platform } from '../platform/platform.ts'
import { presetNames } from '../model/preset.ts'
import type { PresetName } from '../model/preset.ts'
import { parseText } from '../sources/formats/parse-text.ts'
import { sourceIds } from '../sources/places.ts'
import type { SourceId } from '../sources/places.ts'
import type { Doc } from '../sources/formats/doc.ts'
import type { EndpointSettings } from './endpoints/endpoint-settings.ts'
import type { FlowSettings } from './flow-settings.ts'
import type { GatewaySettings } from './callers/gateway-settings.ts'
import type { GatewayViewSettings } from './gateway-views.ts'
import type { IdentityProviderSettings } from './identity/identity-provider-settings.ts'
import { configDirectory } from './own-directories.ts'
import type { RunnerSettings } from './runner-settings.ts'

/** The user's settings, which apply in all folders. */
export interface Settings extends FlowSettings {
  readonly preset?: PresetName
  /** Sources of other clients that are in use, in the order in which they were enabled. */
  readonly sources: readonly SourceId[]
  /** Servers that are off although their own file has no on/off key. */
  readonly disabledServers: readonly string[]
  /** The address of the registry for `find` and `add --from registry:`. */
  readonly registry?: string
  /** Where conversations are kept, if not in the state directory. */
  readonly store?: { readonly url: string; readonly team?: boolean; readonly secret?: string }
  /** The model of `chat` and `run`, as `endpoint/model`. */
  readonly model?: string
  /** Endpoints of models, beside those that are built in. */
  readonly endpoints?: Readonly<Record<string, EndpointSettings>>
  /** The identity providers of the person's companies, by name. */
  readonly identityProviders?: Readonly<Record<string, IdentityProviderSettings>>
  /** What one server may use of the model of `chat`. */
  readonly sampling?: SamplingSettings
  /** What local servers run in. */
  readonly runners?: RunnerSettings
  /** A changed script of a project has to be trusted again. */
  readonly pinFiles?: boolean
  /** What the audit trail keeps. */
  readonly audit?: AuditSettings
  /** The gateway that the clients of this user share. */
  readonly desk?: { readonly idleSeconds?: number }
  /** What the gateway offers at addresses of their own. */
  readonly views?: Readonly<Record<string, GatewayViewSettings>>
  /** How the gateway serves callers over HTTP. */
  readonly gateway?: GatewaySettings
}

const auditRows = ['on', 'values', 'off'] as const

export interface AuditSettings {
  readonly rows: (typeof auditRows)[number]
  /** A row is written before the answer of its call is given. */
  readonly sync?: true
}

/** A week. */
const maxIdleSeconds = 604_800

const flowKeys = ['trifecta', 'labels', 'scan'] as const
const samplingKeys = ['requestsPerMinute', 'tokensPerDay', 'maxTokens'] as const
export type SamplingSettings = Readonly<Partial<Record<(typeof samplingKeys)[number], number>>>

/**
 * Keys about tools, allowed in the settings of the user and of a project. They can only restrict, except that a rule of the
 * user with the effect `allow` lifts the question that `chat` and `run` ask by themselves.
 */
export const toolSettingKeys = {
  tools:
    'patterns over names and refs of tools, as in `createHost({ tools })`: a tool that no pattern admits is not offered',
  servers: 'patterns over names of servers: a server that no pattern admits offers nothing',
  readOnly:
    'the read-only guard: `off`, `reject-declared` or `require-declared`; or an object with `policy`, `believes` and `except`',
  rules:
    'rules for calls: a list of `{ "effect": "ask" or "deny", "tools": […], "when": […], "reason": "…" }`, as in `createHost({ policy })`; ' +
    '`"effect": "allow"`, in your own settings only, lets `chat` and `run` call tools without asking you, where no other rule says otherwise',
  accept:
    'what happens to definitions that you have not accepted: `tofu` (default: what is new is accepted if the scanner finds nothing bad, what has changed is held), `strict` (what is new is held too) or `off`; under the presets boocode, dispatch and omp the default is `off`; a project can only make it stricter; see [accepting](../guide/accepting.md)',
} as const

/** Every key with its meaning, for `docs/reference/settings.md`. */
export const settingKeys: Readonly<Record<keyof Settings | keyof typeof toolSettingKeys, string>> = {
  preset: 'which system’s rules apply: `default`, `boocode`, `dispatch` or `omp`',
  sources: 'the ids of other clients whose files are in use, highest rank first',
  disabledServers: 'names of servers that are off although their own file has no on/off key',
  registry:
    'the address of the MCP registry for `find` and `add --from registry:NAME`, https (http on this machine only); the official one by default',
  store:
    'where conversations are kept: `{ "url": "postgres://…" }`, a value as in an entry (`${env:NAME}`, `!command`, `${keychain:…}`); by default a file in the state directory. `"team": true` beside it, or `PLUGBOARD_TEAM=1`, keeps acceptances and logins there too, `"secret"` is the reference to the key that seals logins (or `PLUGBOARD_GATEWAY_SECRET`); see [the guide](../guide/team.md#on-many-machines)',
  model: 'the model of `chat` and `run`, as `endpoint/model`; `PLUGBOARD_MODEL` and `--model` come before it',
  endpoints:
    'endpoints of models by name: `{ "kind": "openai", "openai-compatible", "anthropic" or "google", "url": "…", "key": "${env:NAME}", "api": "responses" or "chat", "headers": {}, "models": { "id": { "window": 32768 } } }`',
  identityProviders:
    'identity providers of companies, by name, which grant access to servers: `{ "acme": { "issuer": "https://login.example.com", "clientId": "…", "clientSecret": "${env:NAME}", "servers": ["https://*.example.com"], "clients": { "https://auth.example.com": { "clientId": "…", "clientSecret": "${env:NAME}" } } } }`; see [the guide](../guide/logging-in.md#with-an-identity-provider)',
  sampling:
    'what one server may use of the model of `chat`, after you allowed it: `{ "requestsPerMinute": 5, "tokensPerDay": 20000, "maxTokens": 2000 }` by default; 0 requests turn it off',
  runners:
    'what local servers run in: `{ "project": { "use": "bwrap", "read": ["."] } }` is the rule for all servers that projects declare; `podman` and `docker` have options for this machine (`{ "engine": […], "run": […] }`), and other names are argv templates with `{command}`; see [the guide](../guide/sandbox.md)',
  pinFiles:
    '`true`: a server of a project has to be trusted again when a script that its command line names has changed; see [trust](../guide/trust.md)',
  audit:
    'the audit trail of calls: `on` (a row for each call, with the names and types of its arguments), `values` (the arguments too) or `off`; or an object: `{ "rows": "values", "sync": true }` writes each row before the answer of its call is given; see [audit](../guide/audit.md#what-a-kill-can-lose)',
  trifecta:
    'what happens when text of strangers and private data have come into a conversation and a tool with a way out is called: `warn` (default), `ask`, `block` or `off`; see [scanning](../guide/scanning.md)',
  labels:
    'what tools do with information, where their definitions mislead: `{ "mail/*": ["untrusted-in", "private-data", "way-out"] }`; an empty list means none',
  scan: 'findings of the scanner that you have examined: `{ "ignore": [{ "rule": "INJ-006", "server": "NAME", "sha256": "…", "reason": "…", "until": "2026-12-31" }] }`; `sha256` is that of the definition, as `plugboard scan --json` shows it, so a changed one is reported again',
  desk: 'the gateway that your clients share over stdio: `{ "idleSeconds": 300 }` is how long servers go on after the last client of their folder has left; see [the guide](../guide/gateway.md#on-one-desk)',
  views:
    'what `plugboard gateway` offers at `/mcp/NAME`, by name: `{ "work": { "servers": ["git*"], "tools": ["*", "!*__delete_*"], "prefix": false, "mode": "search", "rename": { "github/search_issues": "issues" }, "descriptions": { "github/search_issues": "…" } } }`; see [the guide](../guide/gateway.md)',
  gateway:
    'how `plugboard gateway --port` serves callers: `{ "host": "0.0.0.0", "url": "https://mcp.example.com/mcp", "tls": { "cert": "FILE", "key": "FILE" }, "proxies": ["10.0.0.0/8"], "origins": ["https://app.example.com"], "maxRequestBytes": 4194304, "maxResponseBytes": 16777216, "stopSeconds": 10, "metrics": "guarded", "approvals": "clients", "limits": [{ "callers": ["ci*"], "tools": ["github/*"], "perMinute": 60, "perDay": 1000, "concurrent": 20 }], "quotaPortion": 5, "flowMinutes": 30, "issuers": [{ "issuer": "https://login.example.com", "rules": [{ "claims": { "groups": "eng*" }, "views": ["work"] }] }], "servers": { "browser*": { "isolation": "principal", "idleSeconds": 600, "maxConcurrent": 8 }, "github": { "credentials": "caller" } } }`; see [the guide](../guide/team.md)',
  ...toolSettingKeys,
}

export function settingsFile(platform: Pick<Platform, 'env' | 'home'>): string {
  return join(configDirectory(platform), 'settings.json')
}

export interface SettingsReading {
  readonly settings: Settings
  readonly diagnostics: readonly Diagnostic[]
}

export const noSettings: SettingsReading = { settings: { sources: [], disabledServers: [] }, diagnostics: [] }

/** There may be a rule for servers of projects in them, so none of those is started; nor is a gateway, which they may narrow. */
const unreadable: Settings = {
  ...noSettings.settings,
  gateway: { isDamaged: true },
  runners: { engines: {}, templates: {}, isDamaged: true },
}

/** Reads the user's settings. FI-94: if they cannot be read now, the text in `lastGood` is used, and a diagnostic says so. */
export async function readSettings(
  platform: Platform,
  lastGood?: Map<string, string>,
): Promise<SettingsReading> {
  const file = settingsFile(platform)
  const found = await platform.files.readText(file)
  if (found.kind === 'absent') {
    lastGood?.delete(file)
    return noSettings
  }
  const read = found.kind === 'problem' ? unusable(file, found.message) : await readText(file, found.text)
  if ('settings' in read) {
    if (found.kind === 'text') lastGood?.set(file, found.text)
    return read
  }
  const kept = lastGood?.get(file)
  const before = kept === undefined ? undefined : await readText(file, kept)
  if (!before || !('settings' in before)) return { settings: unreadable, diagnostics: [read] }
  const hint = 'Until this is fixed, the previous content of the file stays in force.'
  return { settings: before.settings, diagnostics: [{ ...read, hint }] }
}

async function readText(file: string, text: string): Promise<SettingsReading | Diagnostic> {
  const doc = await parseSettings(text)
  const [error] = doc.errors
  if (error) return unusable(file, `line ${error.line}, column ${error.column}: ${error.message}`, error)
  return isObject(doc.value) ? readKeys(file, doc, doc.value) : unusable(file, 'must be a JSON object')
}

/** Parses the text of a settings file. An empty file has no settings, like a missing one. */
export function parseSettings(text: string): Promise<Doc> {
  return parseText(text.trim() === '' ? '{}' : text, 'json')
}

/** Disables the servers that the settings list in `disabledServers`. */
export function disableListed(
  servers: readonly Server[],
  settings: Settings,
  platform: Platform,
): readonly Server[] {
  if (settings.disabledServers.length === 0) return servers
  const disabledBy = `${settingsFile(platform)}#/disabledServers`
  return servers.map((server) =>
    settings.disabledServers.includes(server.name) && server.enabled
      ? { ...server, enabled: false, disabledBy }
      : server,
  )
}

async function readKeys(file: string, doc: Doc, value: JsonObject): Promise<SettingsReading> {
  const diagnostics: Diagnostic[] = []
  const refuse = (key: string, message: string) =>
    diagnostics.push(problem(file, `"${key}" ${message}`, { pointer: `/${key}`, ...doc.position(`/${key}`) }))

  const list = (key: string): readonly string[] => {
    const items = value[key]
    if (items === undefined || isStringArray(items)) return items ?? []
    refuse(key, 'must be a list of strings; it is ignored.')
    return []
  }
  const sources = list('sources').filter((id): id is SourceId => {
    const known = sourceIds.some((source) => source === id)
    if (!known) refuse('sources', `names "${id}", which is not a source; see plugboard sources.`)
    return known
  })
  const preset = presetNames.find((name) => name === value['preset'])
  if (value['preset'] !== undefined && preset === undefined) {
    refuse('preset', `must be one of ${presetNames.join(', ')}; it is ignored.`)
  }
  const { registry } = value
  if (registry !== undefined && typeof registry !== 'string') refuse('registry', 'must be an address.')
  const { store } = value
  const storeUrl = isObject(store) && typeof store['url'] === 'string' ? store['url'] : undefined
  if (store !== undefined && storeUrl === undefined) refuse('store', 'must be an object with a "url".')
  const team = isObject(store) ? store['team'] : undefined
  const secret = isObject(store) && typeof store['secret'] === 'string' ? store['secret'] : undefined
  if (team !== undefined && typeof team !== 'boolean') refuse('store', 'must have true or false as "team".')
  const { model } = value
  if (model !== undefined && typeof model !== 'string')
    refuse('model', 'must be a text such as openai/gpt-5.')
  const endpoints =
    value['endpoints'] === undefined ? undefined : await readEndpointsOf(file, doc, diagnostics)
  const identityProviders =
    value['identityProviders'] === undefined ? undefined : await readProvidersOf(file, doc, diagnostics)
  const sampling = value['sampling'] === undefined ? undefined : readSampling(value['sampling'])
  if (value['sampling'] !== undefined && !sampling)
    refuse('sampling', `must be an object with numbers: ${samplingKeys.join(', ')}; servers get no answer.`)
  const runners = value['runners'] === undefined ? undefined : await readRunnersOf(file, doc, diagnostics)
  const audit = value['audit'] === undefined ? undefined : readAudit(value['audit'], refuse)
  const { desk } = value
  const idleSeconds = isObject(desk) ? desk['idleSeconds'] : undefined
  const isIdleTime = typeof idleSeconds === 'number' && idleSeconds >= 0 && idleSeconds <= maxIdleSeconds
  if (desk !== undefined && !isIdleTime)
    refuse(
      'desk',
      `must be an object with "idleSeconds", a number from 0 to ${maxIdleSeconds}; it is ignored.`,
    )
  const { pinFiles } = value
  if (pinFiles !== undefined && typeof pinFiles !== 'boolean')
    refuse('pinFiles', 'must be true or false; scripts are pinned.')
  const flow = flowKeys.some((key) => value[key] !== undefined)
    ? (await import('./flow-settings.ts')).readFlowSettings(value, refuse)
    : {}
  const views = value['views'] === undefined ? undefined : await readViewsOf(file, doc, diagnostics)
  const gateway = value['gateway'] === undefined ? undefined : await readGatewayOf(file, doc, diagnostics)
  for (const key of Object.keys(value)) {
    if (key !== '$schema' && !Object.hasOwn(settingKeys, key)) refuse(key, 'is not a setting; it is ignored.')
  }
  const settings = {
    sources,
    disabledServers: list('disabledServers'),
    ...flow,
    ...(preset && { preset }),
    ...(typeof registry === 'string' && { registry }),
    ...(storeUrl !== undefined && {
      store: { url: storeUrl, ...(team === true && { team }), ...(secret !== undefined && { secret }) },
    }),
    ...(typeof model === 'string' && { model }),
    ...(endpoints && { endpoints }),
    ...(identityProviders && { identityProviders }),
    ...(runners && { runners }),
    // A limit that cannot be read is no reason to do without one.
    ...(value['sampling'] !== undefined && { sampling: sampling ?? { requestsPerMinute: 0 } }),
    // A mistake in a setting that narrows is no reason to do without it.
    ...(pinFiles !== undefined && { pinFiles: pinFiles !== false }),
    ...(audit && { audit }),
    ...(isIdleTime && { desk: { idleSeconds } }),
    ...(views && { views }),
    ...(gateway && { gateway }),
  }
  return { settings, diagnostics }
}

/** What cannot be read is taken as what keeps fewer arguments, and loses fewer rows. */
function readAudit(value: Json, refuse: (key: string, message: string) => void): AuditSettings {
  const { rows: given = 'on', sync = false, ...others } = isObject(value) ? value : { rows: value }
  const rows = auditRows.find((each) => each === given)
  if (rows === undefined || typeof sync !== 'boolean' || Object.keys(others).length > 0)
    refuse(
      'audit',
      `must be one of ${auditRows.join(', ')}, or an object with one of them as "rows" and true or false as "sync"` +
        (rows === undefined ? '; calls are recorded without arguments.' : '.'),
    )
  return { rows: rows ?? 'on', ...(sync !== false && { sync: true }) }
}

function readSampling(value: Json): SamplingSettings | undefined {
  if (!isObject(value)) return undefined
  const isLimit = ([key, limit]: readonly [string, Json]) =>
    samplingKeys.some((known) => known === key) && typeof limit === 'number' && limit >= 0
  return Object.entries(value).every(isLimit) ? value : undefined
}

async function readEndpointsOf(file: string, doc: Doc, diagnostics: Diagnostic[]) {
  const { readEndpoints } = await import('./endpoints/endpoint-settings.ts')
  return readEndpoints(valueAt(doc.value, ['endpoints']), (path, message, about) => {
    const pointer = toPointer(path)
    diagnostics.push({ ...problem(file, message, { pointer, ...doc.position(pointer) }), ...about })
  })
}

async function readRunnersOf(file: string, doc: Doc, diagnostics: Diagnostic[]) {
  const { readRunnerSettings } = await import('./runner-settings.ts')
  return readRunnerSettings(valueAt(doc.value, ['runners']) ?? null, (path, message) => {
    const pointer = toPointer(['runners', ...path])
    const name = ['runners', ...path].join('.')
    diagnostics.push(problem(file, `"${name}" ${message}`, { pointer, ...doc.position(pointer) }))
  })
}

async function readProvidersOf(file: string, doc: Doc, diagnostics: Diagnostic[]) {
  const { readIdentityProviders } = await import('./identity/identity-provider-settings.ts')
  return readIdentityProviders(valueAt(doc.value, ['identityProviders']) ?? null, (path, message) => {
    const pointer = toPointer(['identityProviders', ...path])
    const name = ['identityProviders', ...path].join('.')
    diagnostics.push(problem(file, `"${name}" ${message}`, { pointer, ...doc.position(pointer) }))
  })
}

async function readViewsOf(file: string, doc: Doc, diagnostics: Diagnostic[]) {
  const { readGatewayViews } = await import('./gateway-views.ts')
  return readGatewayViews(valueAt(doc.value, ['views']) ?? null, (path, message) => {
    const pointer = toPointer(['views', ...path])
    const name = ['views', ...path].join('.')
    diagnostics.push(problem(file, `"${name}" ${message}`, { pointer, ...doc.position(pointer) }))
  })
}

async function readGatewayOf(file: string, doc: Doc, diagnostics: Diagnostic[]) {
  const { readGatewaySettings } = await import('./callers/gateway-settings.ts')
  return readGatewaySettings(valueAt(doc.value, ['gateway']) ?? null, (path, message) => {
    const pointer = toPointer(['gateway', ...path])
    const name = ['gateway', ...path].join('.')
    diagnostics.push(problem(file, `"${name}" ${message}`, { pointer, ...doc.position(pointer) }))
  })
}

/** A file of which nothing is used. Tools may be restricted by it, so none is offered. */
function unusable(file: string, message: string, place: Partial<Place> = {}): Diagnostic {
  const hint = 'Until this is fixed, no client is turned on and no tool is offered.'
  return { ...problem(file, /[.!?]$/.test(message) ? message : `${message}.`, place), hint }
}

function problem(file: string, message: string, place: Partial<Place> = {}): Diagnostic {
  const { pointer, line, column } = place
  return {
    code: 'settings-invalid',
    severity: 'error',
    message: `Settings: ${message}`,
    origin: {
      file,
      ...(pointer !== undefined && { pointer }),
      ...(line !== undefined && { line }),
      ...(column !== undefined && { column }),
    },
  }
}
