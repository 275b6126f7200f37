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
import { configDirectory } from './own-directories.ts'

/** The user's settings, which apply in all folders. */
export interface Settings {
  readonly preset?: PresetName
  /** Sources of other clients that are in use, in the order in which they were enabled. */
  readonly sources: readonly SourceId[]
  /** Servers that are off although their own file has no on/off key. */
  readonly disabledServers: readonly string[]
  /** The address of the registry for `find` and `add --from registry:`. */
  readonly registry?: string
  /** Where conversations are kept, if not in the state directory. */
  readonly store?: { readonly url: string }
  /** The model of `chat` and `run`, as `endpoint/model`. */
  readonly model?: string
  /** Endpoints of models, beside those that are built in. */
  readonly endpoints?: Readonly<Record<string, EndpointSettings>>
  /** What one server may use of the model of `chat`. */
  readonly sampling?: SamplingSettings
}

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
} as const

/** Every key with its meaning, for `docs/reference/settings.md`. */
export const settingKeys: Readonly<Record<keyof Settings | keyof typeof toolSettingKeys, string>> = {
  preset: 'which system’s rules apply: `default`, `boocode`, `dispatch` or `omp`',
  sources: 'the ids of other clients whose files are in use, highest rank first',
  disabledServers: 'names of servers that are off although their own file has no on/off key',
  registry:
    'the address of the MCP registry for `find` and `add --from registry:NAME`, https (http on this machine only); the official one by default',
  store:
    'where conversations are kept: `{ "url": "postgres://…" }`, a value as in an entry (`${env:NAME}`, `!command`, `${keychain:…}`); by default a file in the state directory',
  model: 'the model of `chat` and `run`, as `endpoint/model`; `PLUGBOARD_MODEL` and `--model` come before it',
  endpoints:
    'endpoints of models by name: `{ "kind": "openai", "openai-compatible", "anthropic" or "google", "url": "…", "key": "${env:NAME}", "api": "responses" or "chat", "headers": {}, "models": { "id": { "window": 32768 } } }`',
  sampling:
    'what one server may use of the model of `chat`, after you allowed it: `{ "requestsPerMinute": 5, "tokensPerDay": 20000, "maxTokens": 2000 }` by default; 0 requests turn it off',
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
  if (!before || !('settings' in before)) return { ...noSettings, diagnostics: [read] }
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
  const { model } = value
  if (model !== undefined && typeof model !== 'string')
    refuse('model', 'must be a text such as openai/gpt-5.')
  const endpoints =
    value['endpoints'] === undefined ? undefined : await readEndpointsOf(file, doc, diagnostics)
  const sampling = value['sampling'] === undefined ? undefined : readSampling(value['sampling'])
  if (value['sampling'] !== undefined && !sampling)
    refuse('sampling', `must be an object with numbers: ${samplingKeys.join(', ')}; servers get no answer.`)
  for (const key of Object.keys(value)) {
    if (key !== '$schema' && !Object.hasOwn(settingKeys, key)) refuse(key, 'is not a setting; it is ignored.')
  }
  const settings = {
    sources,
    disabledServers: list('disabledServers'),
    ...(preset && { preset }),
    ...(typeof registry === 'string' && { registry }),
    ...(storeUrl !== undefined && { store: { url: storeUrl } }),
    ...(typeof model === 'string' && { model }),
    ...(endpoints && { endpoints }),
    // A limit that cannot be read is no reason to do without one.
    ...(value['sampling'] !== undefined && { sampling: sampling ?? { requestsPerMinute: 0 } }),
  }
  return { settings, diagnostics }
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
