import { join } from 'node:path'
import type { Diagnostic, Place } from '../model/diagnostic.ts'
import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { ToolSettings } from '../model/tool-settings.ts'
import type { Platform } from '../platform/platform.ts'
import { parseText } from '../sources/formats/parse-text.ts'
import { settingsFile, toolSettingKeys } from './settings.ts'
import { projectDirs } from './world.ts'

export interface ReadToolSettings {
  readonly settings: readonly ToolSettings[]
  readonly diagnostics: readonly Diagnostic[]
}

/** A person's own for all folders, and those of a project from the folder one is in up to its root. */
export async function readToolSettings(
  platform: Platform,
  { projectFiles = true }: { readonly projectFiles?: boolean } = {},
): Promise<ReadToolSettings> {
  const projects = projectFiles ? await projectSettingsFiles(platform) : []
  const read = await Promise.all([
    readFile(settingsFile(platform), 'user', platform),
    ...projects.map((file) => readFile(file, 'project', platform)),
  ])
  return {
    settings: read.flatMap(({ settings }) => settings),
    diagnostics: read.flatMap(({ diagnostics }) => diagnostics),
  }
}

export async function projectSettingsFiles(platform: Platform): Promise<readonly string[]> {
  return (await projectDirs(platform)).map(settingsIn)
}

/** What is wrong with the settings of a project that has these folders. */
export async function checkProjectSettings(
  folders: readonly string[],
  platform: Platform,
): Promise<readonly Diagnostic[]> {
  const read = await Promise.all(folders.map((folder) => readFile(settingsIn(folder), 'project', platform)))
  return read.flatMap(({ diagnostics }) => diagnostics)
}

function settingsIn(folder: string): string {
  return join(folder, '.plugboard/settings.json')
}

async function readFile(
  file: string,
  kind: ToolSettings['kind'],
  platform: Platform,
): Promise<ReadToolSettings> {
  const found = await platform.files.readText(file)
  if (found.kind === 'absent') return { settings: [], diagnostics: [] }
  if (found.kind === 'problem') return closed(kind, { file }, found.message)
  const doc = await parseText(found.text, 'json')
  const placeOf = (pointer: string) => ({ file, pointer, ...doc.position(pointer) })
  const [error] = doc.errors
  if (error) return closed(kind, { file, line: error.line, column: error.column }, error.message)
  const { value } = doc
  if (!isObject(value)) return closed(kind, placeOf(''), 'It must hold an object.')
  return { settings: [{ kind, value, placeOf }], diagnostics: kind === 'user' ? [] : foreign(value, placeOf) }
}

/** Nobody knows what it takes away, so nothing is left. */
function closed(kind: ToolSettings['kind'], origin: Place, why: string): ReadToolSettings {
  const whose = kind === 'user' ? 'Your settings' : "The project's settings"
  const message = `${whose} cannot be read, and until then nothing is offered: ${why}`
  return {
    settings: [{ kind, value: { tools: [], servers: [] }, placeOf: () => origin }],
    diagnostics: [{ code: 'settings-invalid', severity: 'error', message, origin }],
  }
}

/** A project has no say in anything else. */
function foreign(value: JsonObject, placeOf: ToolSettings['placeOf']): readonly Diagnostic[] {
  return Object.keys(value)
    .filter((key) => key !== '$schema' && !Object.hasOwn(toolSettingKeys, key))
    .map((key) => ({
      code: 'settings-invalid',
      severity: 'warn',
      message: `Settings: "${key}" is no setting of a project; it is ignored.`,
      origin: placeOf(`/${key}`),
    }))
}
