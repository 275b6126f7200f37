import { join } from 'node:path'
import type { Diagnostic, Place } from '../model/diagnostic.ts'
import { isObject } from '../model/json.ts'
import type { JsonObject } from '../model/json.ts'
import type { ToolSettings } from '../model/tool-settings.ts'
import type { Platform } from '../platform/platform.ts'
import { parseSettings, settingsFile, toolSettingKeys } from './settings.ts'
import { projectDirs } from './world.ts'

export interface ToolSettingsReading {
  readonly settings: readonly ToolSettings[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Reads the user's settings, and those of the project from the working directory up to its root. */
export async function readToolSettings(
  platform: Platform,
  { projectFiles = true }: { readonly projectFiles?: boolean } = {},
): Promise<ToolSettingsReading> {
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

/** Diagnostics about the settings of a project with these folders. */
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
): Promise<ToolSettingsReading> {
  const found = await platform.files.readText(file)
  if (found.kind === 'absent') return { settings: [], diagnostics: [] }
  if (found.kind === 'problem') return offerNothing(kind, { file }, found.message)
  const doc = await parseSettings(found.text)
  const placeOf = (pointer: string) => ({ file, pointer, ...doc.position(pointer) })
  const [error] = doc.errors
  if (error) {
    const { line, column, message } = error
    return offerNothing(kind, { file, line, column }, `line ${line}, column ${column}: ${message}`)
  }
  const { value } = doc
  if (!isObject(value)) return offerNothing(kind, placeOf(''), 'It must be a JSON object.')
  return {
    settings: [{ kind, value, placeOf }],
    diagnostics: kind === 'user' ? [] : foreignKeys(value, placeOf),
  }
}

/** Settings that offer nothing: the restrictions in an unreadable file are unknown, so everything is withheld. */
function offerNothing(kind: ToolSettings['kind'], origin: Place, why: string): ToolSettingsReading {
  const whose = kind === 'user' ? 'Your settings' : "The project's settings"
  const message = `${whose} cannot be read; no tool is offered until this is fixed: ${why}`
  return {
    settings: [{ kind, value: { tools: [], servers: [] }, placeOf: () => origin }],
    diagnostics: [{ code: 'settings-invalid', severity: 'error', message, origin }],
  }
}

/** Reports keys that a project may not set. */
function foreignKeys(value: JsonObject, placeOf: ToolSettings['placeOf']): readonly Diagnostic[] {
  return Object.keys(value)
    .filter((key) => key !== '$schema' && !Object.hasOwn(toolSettingKeys, key))
    .map((key) => ({
      code: 'settings-invalid',
      severity: 'warn',
      message: `Settings: "${key}" is not a project setting; it is ignored.`,
      origin: placeOf(`/${key}`),
    }))
}
