import { join } from 'node:path'
import { hashOf } from '../../model/canonical.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Declared, Server, TrustState } from '../../model/server.ts'
import { withoutSwitch } from '../../model/switches.ts'
import type { Files, Platform } from '../../platform/platform.ts'
import { liesInProject, whoElseMayWrite } from '../private-file-checks.ts'
import { stateDirectory } from '../own-directories.ts'

/** A person's yes to one declaration, bound to its text and its place. */
export interface TrustRecord {
  readonly name: string
  readonly file: string
  /** The source that read it: another dialect may take the same text for something else. */
  readonly source?: string
  readonly at: string
  /** The variables the person was shown and granted. */
  readonly variables: readonly string[]
  /** The entry as it was, with literal secrets replaced by hashes: for showing a change, not for use. */
  readonly entry: Json
  /** The inputs it refers to, which may stand outside of the entry. */
  readonly inputs?: Json
}

export interface TrustStore {
  readonly file: string
  readonly records: ReadonlyMap<string, TrustRecord>
  /** A store that cannot be believed trusts nobody (FI-74). */
  readonly damage?: Diagnostic
}

export function trustFile(platform: Pick<Platform, 'env' | 'home'>): string {
  return join(stateDirectory(platform), 'trust.json')
}

export async function readTrust(platform: Platform): Promise<TrustStore> {
  const file = trustFile(platform)
  const nobody = (why: string): TrustStore => ({ file, records: new Map(), damage: damaged(file, why) })
  const found = await platform.files.readText(file)
  if (found.kind === 'absent') return { file, records: new Map() }
  if (found.kind === 'problem') return nobody(found.message)
  const misplaced = await misplacedStore(platform)
  if (misplaced) return { file, records: new Map(), damage: misplaced }
  const exposed = await whoElseMayWrite(file, platform)
  if (exposed) return nobody(exposed)
  const records = parseRecords(found.text)
  return typeof records === 'string' ? nobody(records) : { file, records }
}

/** T01: where a variable leads into the project, the store is the project's word. The usual place is the person's. */
export async function misplacedStore(platform: Platform): Promise<Diagnostic | undefined> {
  const file = trustFile(platform)
  if (!(await liesInProject(file, trustFile({ env: {}, home: platform.home }), platform))) return undefined
  return damaged(file, 'it lies in the project, which cannot vouch for itself', {
    hint: 'Let XDG_STATE_HOME name a folder outside of the project.',
  })
}

function parseRecords(text: string): ReadonlyMap<string, TrustRecord> | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return 'it is not valid JSON'
  }
  if (!isObject(value) || !isObject(value['entries'])) return 'it does not hold trust entries'
  if (value['version'] !== 1)
    return `it has version ${JSON.stringify(value['version'])}, which this program does not know`
  const records = new Map<string, TrustRecord>()
  for (const [key, record] of Object.entries(value['entries'])) {
    if (!isRecord(record)) return `the entry ${key} is incomplete`
    records.set(key, record)
  }
  return records
}

function isRecord(value: unknown): value is TrustRecord & JsonObject {
  if (!isObject(value)) return false
  const { name, file, source, at, variables } = value
  return [name, file, at, source ?? ''].every((text) => typeof text === 'string') && isStringArray(variables)
}

function damaged(
  file: string,
  why: string,
  { hint = `Repair ${file} or remove it, then trust the servers again.` } = {},
): Diagnostic {
  return {
    code: 'store-damaged',
    severity: 'error',
    message: `The trust store cannot be used: ${why}. No project server is trusted until it is repaired.`,
    hint,
    origin: { file },
  }
}

/**
 * T02: the hash of every entry a server is made of, with its real file, authority and source, and of the inputs it
 * refers to. A change of any of them is another key. The switch is left out: it is no part of what would run.
 */
export function trustKey(server: Server, files: Pick<Files, 'realPath'>): Promise<string> {
  return keyOf(server, files, withoutSwitch)
}

async function keyOf(
  { name, origin, declared, inputs = [] }: Server,
  files: Pick<Files, 'realPath'>,
  textOf: (declared: Declared) => JsonObject,
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
  // Records of earlier versions hold the switch as it stood then.
  return record ?? store.records.get(await keyOf(server, files, ({ entry }) => entry))
}

/** D-8: only what a project declares needs a person. */
export function needsTrust(server: Server): boolean {
  return server.declared.some(({ origin }) => origin.authority === 'project')
}

/** What a person's decisions mean for a server. */
export interface Judgment {
  readonly state: TrustState
  /** The variables a person granted with their yes; absent where no yes is needed, and with it every one. */
  readonly granted?: readonly string[]
}

export async function trustOf(server: Server, store: TrustStore, files: Files): Promise<Judgment> {
  if (!needsTrust(server)) return { state: 'trusted' }
  if (store.damage || store.records.size === 0) return { state: 'pending', granted: [] }
  const record = await recordOf(server, store, files)
  if (record) return { state: 'trusted', granted: record.variables }
  return { state: (await earlierRecord(server, store, files)) ? 'changed' : 'pending', granted: [] }
}

/** What was trusted under this name in this file, read in this dialect, before. */
export async function earlierRecord(
  server: Server,
  store: TrustStore,
  files: Pick<Files, 'realPath'>,
): Promise<TrustRecord | undefined> {
  const file = await files.realPath(server.origin.file)
  const wanted = { name: server.name, file, source: server.origin.source }
  const same = [...store.records.values()].filter((record) => isAbout(record, wanted))
  return same.sort((a, b) => b.at.localeCompare(a.at))[0]
}

/** Records of the first form name no source. */
export function isAbout(record: TrustRecord, { name, file, source }: Required<Subject>): boolean {
  return record.name === name && record.file === file && (record.source ?? source) === source
}

type Subject = Pick<TrustRecord, 'name' | 'file' | 'source'>
