import { hashOf } from '../../model/canonical.ts'
import { isObject, isStringArray } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { Input, Server } from '../../model/server.ts'
import type { Files, Platform } from '../../platform/platform.ts'
import type { Part, ValueRules } from '../../sources/entries/template.ts'
import type { EnvFileSeal } from '../values/env-file.ts'
import { keychainGrant } from '../values/keychain-values.ts'
import { redactArguments, redactText, redactWords } from '../redact-text.ts'
import { editStore } from '../private-file-edit.ts'
import { isRecordFor, readTrust, trustFile, trustKey } from './trust-store.ts'
import type { TrustRecord } from './trust-store.ts'
import { partsOf, valueSites } from '../values/value-sites.ts'

/** What a person agrees to by trusting a server: the variables, commands and files that its values use. */
export interface TrustQuestion {
  readonly key: string
  /** Includes keychain items, as `keychain:service/account`. */
  readonly variables: readonly string[]
  readonly commands: readonly string[]
  readonly files: readonly string[]
  /** What its envFile sets, each value as a hash. A file that cannot be read sets nothing. */
  readonly envFile?: EnvFileSeal
  /** Where its command is on this machine, and the scripts of the project that it runs, by path, with their hashes (T03). */
  readonly program?: string
  readonly scripts?: Readonly<Record<string, string>>
}

export async function trustQuestionFor(
  server: Server,
  rules: ValueRules,
  files: Pick<Files, 'realPath'>,
): Promise<TrustQuestion> {
  const parts = valueSites(server, rules).flatMap((site) => partsOf(site, rules))
  const { transport } = server
  const passed = transport.kind === 'stdio' ? (transport.passEnv ?? []) : []
  const helper = transport.kind === 'stdio' ? undefined : transport.headersCommand
  const envFile = transport.kind === 'stdio' ? transport.envFile : undefined
  return {
    key: await trustKey(server, files),
    variables: unique([...parts.flatMap(grantsOf), ...passed]),
    commands: unique([
      ...parts.flatMap((part) => (part.kind === 'command' ? [part.command] : [])),
      ...(helper === undefined ? [] : [helper]),
    ]),
    files: unique([
      ...parts.flatMap((part) => (part.kind === 'file' ? [part.path] : [])),
      ...(envFile === undefined ? [] : [envFile]),
    ]),
  }
}

function grantsOf(part: Part): readonly string[] {
  if (part.kind === 'keychain') return [keychainGrant(part.reference)]
  return part.kind === 'env' ? [part.name] : []
}

/** Stores a trust decision. Prompting is up to the caller. */
export async function grantTrust(server: Server, question: TrustQuestion, platform: Platform): Promise<void> {
  const file = await platform.files.realPath(server.origin.file)
  const entries = server.declared.map(({ entry }) => maskSecrets(entry))
  const subject = { name: server.name, file, source: server.origin.source }
  const record: TrustRecord = {
    ...subject,
    at: new Date(platform.clock.now()).toISOString(),
    variables: question.variables,
    entry: entries.length === 1 ? (entries[0] ?? null) : entries,
    ...(server.inputs && { inputs: inputsOf(server) }),
    ...(question.envFile && { envFile: question.envFile }),
    ...(question.program !== undefined && { program: question.program }),
    ...(question.scripts && { scripts: question.scripts, isResolved: true as const }),
  }
  await editRecords(platform, (records) => {
    for (const [key, known] of records) if (isRecordFor(known, subject)) records.delete(key)
    records.set(question.key, record)
  })
}

/** Removes the records of a server and returns their number. */
export async function revokeTrust(
  server: { readonly name: string; readonly files?: readonly string[] },
  platform: Platform,
): Promise<number> {
  let removed = 0
  await editRecords(platform, (records) => {
    for (const [key, known] of records) {
      if (known.name !== server.name || server.files?.includes(known.file) === false) continue
      records.delete(key)
      removed++
    }
  })
  return removed
}

function editRecords(platform: Platform, edit: (records: Map<string, TrustRecord>) => void): Promise<void> {
  return editStore({
    path: trustFile(platform),
    platform,
    read: () => readTrust(platform),
    toText(store) {
      const records = new Map(store.records)
      edit(records)
      return `${JSON.stringify({ version: 1, entries: Object.fromEntries(records) }, null, 2)}\n`
    },
  })
}

/** Replaces secrets by hashes: a change stays recognizable, and the stored text reveals nothing. */
export function maskSecrets(value: Json, key = ''): Json {
  if (typeof value === 'string') return maskText(value, redactWords(redactText(value, key)))
  if (isStringArray(value)) {
    const shown = redactArguments(value)
    return value.map((item, index) => maskText(item, shown[index] ?? item))
  }
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => maskSecrets(item, key))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, maskSecrets(item, name)]))
}

/** Inputs by id, so that the pointer of a change names the input. */
export function inputsOf({ inputs = [] }: Pick<Server, 'inputs'>): Json {
  return Object.fromEntries(inputs.map(({ id, ...input }) => [id, maskInput(id, input)]))
}

function maskInput(id: string, input: Omit<Input, 'id'>): Json {
  const defaultKey = input.secret ? 'secret' : id
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [
      name,
      maskSecrets(value, name === 'default' ? defaultKey : name),
    ]),
  )
}

/** Adds a hash after the mask, so that two different secrets differ. */
function maskText(text: string, shown: string): string {
  return shown === text ? text : `${shown} (${hashOf(text).slice(0, 19)})`
}

function unique(items: readonly string[]): readonly string[] {
  return [...new Set(items)].sort()
}
