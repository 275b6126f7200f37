import { join } from 'node:path'
import { hashOf } from '../../model/canonical.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { DeclaredEntry, Server, TrustState } from '../../model/server.ts'
import { withoutSwitch } from '../../model/switches.ts'
import type { Files, Platform } from '../../platform/platform.ts'
import { findForeignAccess } from '../private-file-checks.ts'
import { stateDirectory } from '../own-directories.ts'
import type { EnvFileSeal } from '../values/env-file.ts'

/** A stored trust decision for one declaration, bound to its text and its file. */
export interface TrustRecord {
  readonly name: string
  readonly file: string
  /** The source that read the entry: another dialect may read the same text differently. */
  readonly source?: string
  readonly at: string
  /** The variables the person was shown and granted. */
  readonly variables: readonly string[]
  /** The trusted entry with literal secrets replaced by hashes. Used only to display changes. */
  readonly entry: Json
  /** The inputs that the entry refers to; they may be declared outside of it. */
  readonly inputs?: Json
  /** What the envFile set (T53). Records of earlier versions have none. */
  readonly envFile?: EnvFileSeal
  /** Where the command was on this machine (T03). */
  readonly program?: string
  /** SHA-256 of the scripts of the project that the command line names, by their path in it. */
  readonly scripts?: Readonly<Record<string, string>>
  /** T133: the scripts are also those that the runtime finds for a folder, a module or a path without its ending. */
  readonly isResolved?: true
}

export interface TrustStore {
  readonly file: string
  readonly records: ReadonlyMap<string, TrustRecord>
  /** Set if the store is damaged; then it has no records, and no project server is trusted (FI-74). */
  readonly damage?: Diagnostic
}

export function trustFile(platform: Pick<Platform, 'env' | 'home'>): string {
  return join(stateDirectory(platform), 'trust.json')
}

export async function readTrust(platform: Platform): Promise<TrustStore> {
  const file = trustFile(platform)
  const reject = (why: string): TrustStore => ({ file, records: new Map(), damage: toDamage(file, why) })
  const found = await platform.files.readText(file)
  if (found.kind === 'absent') return { file, records: new Map() }
  if (found.kind === 'problem') return reject(found.message)
  const foreignAccess = await findForeignAccess(file, platform)
  if (foreignAccess) return reject(foreignAccess)
  const records = parseRecords(found.text)
  return typeof records === 'string' ? reject(records) : { file, records }
}

function parseRecords(text: string): ReadonlyMap<string, TrustRecord> | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'it is not valid JSON'
  }
  if (!isObject(value) || !isObject(value['entries'])) return 'it does not contain trust entries'
  if (value['version'] !== 1) return `version ${JSON.stringify(value['version'])} is not supported`
  const records = new Map<string, TrustRecord>()
  for (const [key, record] of Object.entries(value['entries'])) {
    if (!isRecord(record)) return `the entry ${key} is incomplete`
    records.set(key, record)
  }
  return records
}

function isRecord(value: unknown): value is TrustRecord & JsonObject {
  if (!isObject(value)) return false
  const { name, file, source, at, variables, envFile, program, scripts = {} } = value
  const texts = [
    name,
    file,
    at,
    source ?? '',
    program ?? '',
    ...(isObject(scripts) ? Object.values(scripts) : [1]),
  ]
  return (
    texts.every((text) => typeof text === 'string') &&
    isStringArray(variables) &&
    (envFile === undefined || isSeal(envFile))
  )
}

function isSeal(value: unknown): boolean {
  if (!isObject(value) || typeof value['hash'] !== 'string' || !isObject(value['variables'])) return false
  return Object.values(value['variables']).every((text) => typeof text === 'string')
}

function toDamage(file: string, why: string): Diagnostic {
  return {
    code: 'store-damaged',
    severity: 'error',
    message: `The trust store cannot be used: ${why}. No project server is trusted until it is repaired.`,
    hint: `Repair ${file} or remove it, then trust the servers again.`,
    origin: { file },
  }
}

/**
 * T02: a hash of every entry that a server is built from, with its real file, authority and source, and of the inputs it
 * refers to. Any change to them gives another key. The enabled switch is left out: it does not affect what runs.
 */
export function trustKey(server: Server, files: Pick<Files, 'realPath'>): Promise<string> {
  return keyOf(server, files, withoutSwitch)
}

async function keyOf(
  { name, origin, declared, inputs = [] }: Server,
  files: Pick<Files, 'realPath'>,
  textOf: (declared: DeclaredEntry) => JsonObject,
): Promise<string> {
  const entries = await Promise.all(
    declared.map(async (each) => ({
      source: each.origin.source,
      file: await files.realPath(each.origin.file),
      authority: each.origin.authority,
      entry: textOf(each),
    })),
  )
  return hashOf({ name, source: origin.source, entries, inputs })
}

async function recordOf(server: Server, store: TrustStore, files: Files): Promise<TrustRecord | undefined> {
  const record = store.records.get(await trustKey(server, files))
  // Earlier versions included the switch in the hash.
  return record ?? store.records.get(await keyOf(server, files, ({ entry }) => entry))
}

/** D-8: only servers that a project declares, wholly or in part, need trust. */
export function needsTrust(server: Server): boolean {
  return server.declared.some(({ origin }) => origin.authority === 'project')
}

/** The result of checking a server against the trust store. */
export interface Judgment {
  readonly state: TrustState
  /** The variables a person granted. Absent if the server needs no trust: it may then use all variables. */
  readonly granted?: readonly string[]
  /** What the envFile set when the server was trusted. */
  readonly envFile?: EnvFileSeal
  /** What it ran when it was trusted. */
  readonly program?: string
  readonly scripts?: TrustRecord['scripts']
  readonly isResolved?: true
}

/** Whether a server reads an envFile, whose content is part of the trust (T53). */
export function hasEnvFile({ transport }: Pick<Server, 'transport'>): boolean {
  return transport.kind === 'stdio' && transport.envFile !== undefined
}

/** Judges by the entry alone; `judgeEnvFile` looks at the content of its envFile. */
export async function trustOf(server: Server, store: TrustStore, files: Files): Promise<Judgment> {
  if (!needsTrust(server)) return { state: 'trusted' }
  if (store.damage || store.records.size === 0) return { state: 'pending', granted: [] }
  const record = await recordOf(server, store, files)
  if (record) {
    const { variables: granted, envFile, program, scripts, isResolved } = record
    const ran = {
      ...(program !== undefined && { program }),
      ...(scripts && { scripts }),
      ...(isResolved === true && { isResolved }),
    }
    return { state: 'trusted', granted, ...(envFile && { envFile }), ...ran }
  }
  return { state: (await earlierRecord(server, store, files)) ? 'changed' : 'pending', granted: [] }
}

/** The newest record for this name, file and source: the form that was trusted before a change. */
export async function earlierRecord(
  server: Server,
  store: TrustStore,
  files: Pick<Files, 'realPath'>,
): Promise<TrustRecord | undefined> {
  const file = await files.realPath(server.origin.file)
  const wanted = { name: server.name, file, source: server.origin.source }
  const same = [...store.records.values()].filter((record) => isRecordFor(record, wanted))
  return same.sort((a, b) => b.at.localeCompare(a.at))[0]
}

/** Records of the first version have no source and match every one. */
export function isRecordFor(record: TrustRecord, { name, file, source }: Required<TrustSubject>): boolean {
  return record.name === name && record.file === file && (record.source ?? source) === source
}

type TrustSubject = Pick<TrustRecord, 'name' | 'file' | 'source'>
