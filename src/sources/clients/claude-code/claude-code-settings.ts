import { isObject, isStringArray, toPointer, valueAt } from '../../../model/json.ts'
import type { JsonObject } from '../../../model/json.ts'
import { claudePluginOf } from './claude-code-plugins.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { OpenFile, Report, World } from '../../source.ts'

/** An object that may hold lists of servers: a settings file, or the project's record in `~/.claude.json`. */
export interface ClaudeSettings {
  readonly file: OpenFile
  readonly path: readonly string[]
  readonly value: JsonObject
}

/** Managed settings first, then the nearest project's, the user's, and the project's record that Claude Code keeps. */
export function claudeSettings(files: readonly OpenFile[], world: World): readonly ClaudeSettings[] {
  return files.flatMap((file) => {
    const root = intactRoot(file)
    if (!root) return []
    if (file.role === 'settings' || file.role === 'managed-settings') return [{ file, path: [], value: root }]
    const record = file.role === 'main' ? projectRecord(root, world) : undefined
    return record ? [{ file, ...record }] : []
  })
}

/** The root of a file that a strict reader accepts. Problems of other files were reported before. */
function intactRoot({ doc }: OpenFile): JsonObject | undefined {
  return doc.errors.length === 0 && doc.relaxed.length === 0 && isObject(doc.value) ? doc.value : undefined
}

/** The record of the nearest directory that has one. Windows paths may be written with either slash. */
export function projectRecord(
  root: JsonObject,
  world: World,
): { readonly path: readonly string[]; readonly value: JsonObject } | undefined {
  const projects = root['projects']
  if (!isObject(projects)) return undefined
  for (const dir of [...world.dirs, world.cwd]) {
    const key = Object.keys(projects).find((path) => isSamePath(path, dir))
    const value = key === undefined ? undefined : projects[key]
    if (key !== undefined && isObject(value)) return { path: ['projects', key], value }
  }
  return undefined
}

function isSamePath(a: string, b: string): boolean {
  const plain = (path: string) => path.replaceAll('\\', '/').replace(/\/+$/, '')
  return plain(a) === plain(b)
}

/** Applies the approval of project servers, and the switches of all servers. */
export function applySwitches({ drafts, files, world, report }: SettleContext): void {
  const settings = claudeSettings(files, world)
  checkLists(settings, report)
  for (const draft of drafts) {
    const off =
      (draft.file.role === 'plugin' ? pluginOff(draft, settings) : undefined) ??
      (draft.origin.scope === 'project'
        ? listedIn(settings, 'disabledMcpjsonServers', [draft.name])
        : undefined) ??
      listedIn(settings.filter(isRecord), 'disabledMcpServers', namesOf(draft))
    if (off !== undefined) {
      draft.enabled = false
      draft.disabledBy = off
    } else if (draft.origin.scope === 'project') {
      setApproval(draft, settings, report)
    }
  }
}

function setApproval(draft: Draft, settings: readonly ClaudeSettings[], report: Report): void {
  const approved =
    settings.some(({ value }) => value['enableAllProjectMcpServers'] === true) ||
    listedIn(settings, 'enabledMcpjsonServers', [draft.name]) !== undefined
  draft.approval = approved ? 'approved' : 'pending'
  if (approved) return
  report.add('untrusted-project', 'warn', 'Project servers need approval in Claude Code.', {
    file: draft.file,
    pointer: draft.origin.pointer,
    server: draft.name,
  })
}

const lists = ['enabledMcpjsonServers', 'disabledMcpjsonServers', 'disabledMcpServers']

function checkLists(settings: readonly ClaudeSettings[], report: Report): void {
  for (const { file, path, value } of settings) {
    for (const key of lists) {
      if (value[key] === undefined || value[key] === null || isStringArray(value[key])) continue
      report.add('wrong-type', 'warn', `"${key}" must be a list of names. It is ignored.`, {
        file,
        pointer: toPointer([...path, key]),
      })
    }
  }
}

/** The place of the first list that contains one of the names. */
function listedIn(
  settings: readonly ClaudeSettings[],
  key: string,
  names: readonly string[],
): string | undefined {
  const found = settings.find(({ value }) => {
    const list = value[key]
    return isStringArray(list) && names.some((name) => list.includes(name))
  })
  return found && placeOf(found, [key])
}

function isRecord({ path }: ClaudeSettings): boolean {
  return path.length > 0
}

/** Writes `*` for the project's path, which is known from the context. */
function placeOf({ file, path }: ClaudeSettings, key: readonly string[]): string {
  return `${file.path}#${path.length > 0 ? '/projects/*' : ''}${toPointer(key)}`
}

function namesOf({ name, file }: Draft): readonly string[] {
  return file.role === 'plugin' ? [name, `plugin:${claudePluginOf(file.path).name}:${name}`] : [name]
}

/** T01: a project's settings may restrict; anything they would add needs the user's approval. */
export function isProjectSettings({ file }: ClaudeSettings): boolean {
  return file.authority === 'project'
}

/** The highest settings that mention a plugin decide. A project's settings can only switch it off. */
function pluginOff({ file }: Draft, settings: readonly ClaudeSettings[]): string | undefined {
  const { name, marketplace } = claudePluginOf(file.path)
  const key = ['enabledPlugins', `${name}@${marketplace}`]
  const found = settings.find((each) => {
    const isOn = valueAt(each.value, key)
    return isProjectSettings(each) ? isOn === false : isOn !== undefined
  })
  return found && valueAt(found.value, key) === false ? placeOf(found, key) : undefined
}
