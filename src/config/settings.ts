import { join } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import { isObject, isStringArray } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { Server } from '../model/server.ts'
import type { Platform } from '../platform/platform.ts'
import { presetNames } from '../model/preset.ts'
import type { PresetName } from '../model/preset.ts'
import { parseText } from '../sources/formats/parse-text.ts'
import { sourceIds } from '../sources/places.ts'
import type { SourceId } from '../sources/places.ts'
import type { Doc } from '../sources/formats/doc.ts'
import { configDirectory } from './own-directories.ts'

/** What a person decided once for all folders. */
export interface Settings {
  readonly preset?: PresetName
  /** Other clients' sources that are in use, in the order they were turned on. */
  readonly sources: readonly SourceId[]
  /** Servers switched off whose own file has no way to say so. */
  readonly disabledServers: readonly string[]
}

/** What a person's settings, and those of a project, may say about tools. They only take away. */
export const toolSettingKeys = {
  tools:
    'patterns over names and refs of tools, as in `createHost({ tools })`: what none admits is not offered',
  servers: 'patterns over names of servers: nothing of those that none admits is offered',
  readOnly:
    'the read-only guard: `off`, `reject-declared` or `require-declared`; or an object with `policy`, `believes` and `except`',
  rules:
    'what may run: a list of `{ "effect": "ask" or "deny", "tools": […], "when": […], "reason": "…" }`, as in `createHost({ policy })`',
} as const

/** Every key with its meaning, for `docs/reference/settings.md`. */
export const settingKeys: Readonly<Record<keyof Settings | keyof typeof toolSettingKeys, string>> = {
  preset: 'which system’s rules count: `default`, `boocode`, `dispatch` or `omp`',
  sources: 'the ids of other clients whose files are in use, highest in rank first',
  disabledServers: 'names of servers that are off although their own file cannot say so',
  ...toolSettingKeys,
}

export function settingsFile(platform: Pick<Platform, 'env' | 'home'>): string {
  return join(configDirectory(platform), 'settings.json')
}

export async function readSettings(
  platform: Platform,
): Promise<{ readonly settings: Settings; readonly diagnostics: readonly Diagnostic[] }> {
  const file = settingsFile(platform)
  const found = await platform.files.readText(file)
  const nothing = { sources: [], disabledServers: [] }
  if (found.kind === 'absent') return { settings: nothing, diagnostics: [] }
  if (found.kind === 'problem') return { settings: nothing, diagnostics: [problem(file, found.message)] }

  const doc = await parseText(found.text, 'json')
  const [error] = doc.errors
  if (error) return { settings: nothing, diagnostics: [problem(file, error.message, error)] }
  if (!isObject(doc.value)) return { settings: nothing, diagnostics: [problem(file, 'must hold an object')] }
  return readKeys(file, doc, doc.value)
}

/** Servers a person switched off in our settings, because their own file has no way to say so. */
export function switchOff(
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

function readKeys(file: string, doc: Doc, value: JsonObject) {
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
    refuse('preset', `is one of ${presetNames.join(', ')}; it is ignored.`)
  }
  for (const key of Object.keys(value)) {
    if (key !== '$schema' && !Object.hasOwn(settingKeys, key)) refuse(key, 'is not a setting; it is ignored.')
  }
  const settings = { sources, disabledServers: list('disabledServers'), ...(preset && { preset }) }
  return { settings, diagnostics }
}

function problem(file: string, message: string, place: object = {}): Diagnostic {
  return {
    code: 'settings-invalid',
    severity: 'error',
    message: `Settings: ${message}`,
    origin: { file, ...place },
  }
}
