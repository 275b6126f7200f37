import { isObject, toPointer } from '../../../model/json.ts'
import type { Server } from '../../../model/server.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import type { Report } from '../../source.ts'
import { tablesOf, usableRoot } from '../../entries/server-tables.ts'
import type { Table } from '../../entries/server-tables.ts'
import { parseTemplate } from '../../entries/template.ts'
import type { ValueRules } from '../../entries/template.ts'
import type {
  NewServer,
  VariableNames,
  WriteRules,
  EntryTarget,
  WrittenEntry,
} from '../../entries/write-rules.ts'

/** Types of extensions that run inside goose or its desktop app. */
const insideGoose = ['builtin', 'platform', 'frontend', 'inline_python']

const noType = {
  code: 'missing-type',
  severity: 'error',
  message: 'The extension needs a "type": stdio or streamable_http.',
} as const

const rules: EntryRules = {
  types: { stdio: 'stdio', streamable_http: 'http' },
  untypedUrl: 'refused',
  untypedUrlNote: noType,
  untypedCommandNote: noType,
  both: 'command',
  keys: { command: ['cmd'], env: ['envs'], url: ['uri'], cwd: null },
  flag: 'enabled',
  flagRequired: true,
  timeouts: [{ key: 'timeout', unit: 's', sets: 'callMs' }],
  allowKey: 'available_tools',
  emptyAllowMeansAll: true,
  descriptionKey: 'description',
  known: ['name', 'display_name', 'bundled'],
  checkPins: true,
  finish(entry, draft) {
    checkKey(entry)
    requireKeys(entry, draft)
    draft.socketPath = entry.string('socket')
    checkKind(entry, draft)
    const secrets = entry.strings('env_keys') ?? []
    if (secrets.length > 0) draft.secretEnv = secrets
  },
}

/** goose skips an entry without its required keys, and expands only variables that the entry lists. */
const writes: WriteRules = {
  variables: writeNames,
  valueKeys: ['env_keys', 'socket'],
  toEntry: addRequired,
  badName: { pattern: /[\sA-Z]/, message: 'goose writes names in lowercase and without spaces.' },
  toName: toKey,
}

/** `extensions` of goose's configuration: a map in YAML in which some entries are servers. */
export const goose = createSource({
  id: 'goose',
  title: 'goose',
  reads: 'unsure',
  roots: [['extensions']],
  rules,
  values: valuesOf,
  tables(files, _world, report) {
    return files.flatMap((file) => {
      const root = usableRoot(file, 'unsure', report)
      const tables = root ? tablesOf(file, root, { roots: [['extensions']] }, report) : []
      return tables.map((table) => onlyLaunchable(table, report))
    })
  },
  settle: reportSecrets,
  writes,
})

/** Removes and reports extensions that no other program can start. */
function onlyLaunchable(table: Table, report: Report): Table {
  const entries = Object.entries(table.value).filter(([name, value]) => {
    const type = isObject(value) ? value['type'] : undefined
    const where = { file: table.file, pointer: toPointer([...table.path, name]), server: name }
    if (typeof type === 'string' && insideGoose.includes(type)) {
      report.add('not-launchable', 'info', `A ${type} extension runs inside goose.`, where)
      return false
    }
    if (type === 'sse') {
      report.add('unsupported-transport', 'error', 'goose no longer supports sse.', {
        ...where,
        hint: 'Use "type": "streamable_http" if the server has it.',
      })
      return false
    }
    return true
  })
  return { ...table, value: Object.fromEntries(entries) }
}

/** The key of an extension; its "name" is as it was given. */
function toKey(name: string): string {
  return name.toLowerCase().replaceAll(/\s/g, '')
}

function checkKey(entry: Entry): void {
  if (entry.name === toKey(entry.name)) return
  entry.warn('invalid-name', 'goose writes this key in lowercase and without spaces.')
}

function checkKind(entry: Entry, { kind }: Draft): void {
  if (kind === undefined) return
  for (const key of (kind === 'stdio' ? ['headers', 'socket'] : ['args']).filter((name) => entry.has(name))) {
    entry.warn('unknown-key', `"${key}" has no meaning for this type of extension; it is ignored.`, { key })
  }
}

/** Refuses entries that goose would skip. */
function requireKeys(entry: Entry, { kind }: Draft): void {
  const missing = [...(kind === 'stdio' ? ['args'] : []), 'enabled'].filter((key) => !entry.has(key))
  if (kind === undefined || missing.length === 0) return
  entry.refuse('missing-key', `goose skips an extension without ${missing.join(' and ')}.`)
}

/** Only `uri` and `headers` are expanded, with the entry's own `envs` and `env_keys`. */
function valuesOf({ transport }: Server): ValueRules {
  const own = Object.entries(transport.env ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  )
  const secrets = transport.secretEnv ?? []
  return {
    syntaxes: ['plugin', 'braces', 'bare'],
    unset: 'keep',
    names: Object.fromEntries(own),
    only: new RegExp(`^(?:${secrets.filter((name) => /^\w+$/.test(name)).join('|')})$`),
    fields: ['url', 'headers'],
    literalPlaceholders: 'report',
    variableKey: ({ field }, name) =>
      field === 'env' ? `Goose passes variables on by name: list ${name} under env_keys.` : undefined,
  }
}

function reportSecrets({ drafts, files, report }: SettleContext): void {
  for (const file of files) {
    const inFile = drafts.filter((draft) => draft.file.path === file.path)
    const names = [...new Set(inFile.flatMap(({ secretEnv }) => secretEnv ?? []))]
    if (names.length === 0) continue
    const message = `${names.join(', ')}: read from the keyring or secrets.yaml, not from this file.`
    report.add('secret-store', 'info', message, { file })
  }
}

/** `env_keys` passes a variable on only under its own name. */
function writeNames({ env, headers }: VariableNames): ReturnType<NonNullable<WriteRules['variables']>> {
  const passed = Object.keys(env).filter((name) => env[name] === name)
  const renamed = Object.entries(env).filter(([name, variable]) => name !== variable)
  return {
    entry: passed.length > 0 ? { env_keys: passed } : {},
    rest: { env: Object.fromEntries(renamed), headers },
  }
}

function addRequired(server: NewServer, { entry, lost }: WrittenEntry, { like }: EntryTarget): WrittenEntry {
  const names = variablesIn(server)
  return {
    entry: {
      enabled: like['enabled'] ?? true,
      name: like['name'] ?? server.name,
      ...entry,
      ...(server.transport.kind === 'stdio' && { args: entry['args'] ?? [] }),
      ...(names.length > 0 && { env_keys: names }),
    },
    lost,
  }
}

/** The variables that the url and the headers of a remote server refer to. */
function variablesIn({ transport }: NewServer): readonly string[] {
  if (transport.kind === 'stdio') return []
  const texts = [transport.url, ...Object.values(transport.headers ?? {})]
  const names = texts.flatMap((text) =>
    typeof text === 'string'
      ? parseTemplate(text, { syntaxes: ['braces', 'bare'], unset: 'keep' }).flatMap((part) =>
          part.kind === 'env' ? [part.name] : [],
        )
      : [],
  )
  return [...new Set(names)]
}
