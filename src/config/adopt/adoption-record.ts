import { join } from 'node:path'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { isObject, isStringArray } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Platform } from '../../platform/platform.ts'
import { stateDirectory } from '../own-directories.ts'
import { editStore } from '../private-file-edit.ts'

/** One entry of a client's file that is now in our own file. */
export interface MovedEntry {
  /** Its name in the client's file. */
  readonly name: string
  /** Its name in our file. */
  readonly as: string
  readonly path: readonly (string | number)[]
  /** Hash of the entry as it was written into our file; a later difference is a change by the person. */
  readonly hash: string
  /** Our file had an equal entry before, which another client may use: releasing does not remove it. */
  readonly isShared?: true
  /** The accounts of its secrets in the keychain. */
  readonly secrets?: readonly string[]
}

/** A file of a client, and what was done to it. */
export interface AdoptedFile {
  readonly file: string
  /** The copy of the file as it was, beside it. */
  readonly kept: string
  readonly originalHash: string
  readonly writtenHash: string
  /** The entry that starts the gateway. */
  readonly entry: string
  readonly moved: readonly MovedEntry[]
}

/** What adopting a client did, so that releasing it can undo that and nothing else. */
export interface AdoptionRecord {
  readonly view: string
  readonly viewHash: string
  readonly files: readonly AdoptedFile[]
  /** Files of ours that did not exist before. */
  readonly created: readonly string[]
}

export interface Adoptions {
  readonly clients: ReadonlyMap<string, AdoptionRecord>
  readonly damage?: Diagnostic | undefined
}

export function adoptionsFile(platform: Pick<Platform, 'env' | 'home'>): string {
  return join(stateDirectory(platform), 'adoptions.json')
}

export async function readAdoptions(platform: Pick<Platform, 'env' | 'home' | 'files'>): Promise<Adoptions> {
  const file = adoptionsFile(platform)
  const found = await platform.files.readText(file)
  if (found.kind === 'absent') return { clients: new Map() }
  const clients = found.kind === 'text' ? parse(found.text) : undefined
  if (clients) return { clients }
  return {
    clients: new Map(),
    damage: {
      code: 'unreadable-file',
      severity: 'error',
      message: `${file} cannot be read: it says which clients were adopted.`,
      hint: 'The files of the clients as they were are beside them, named .before-plugboard.',
      origin: { file },
    },
  }
}

/** Notes an adoption. */
export function recordAdoption(client: string, record: AdoptionRecord, platform: Platform): Promise<void> {
  return editAdoptions(platform, (clients) =>
    [...clients].filter(([id]) => id !== client).concat([[client, record]]),
  )
}

/** Forgets an adoption. What it added and others use belongs to the first of those from now on. */
export function forgetAdoption(client: string, platform: Platform): Promise<void> {
  return editAdoptions(platform, (clients) => {
    const record = clients.get(client)
    const others = [...clients].filter(([id]) => id !== client)
    return record ? handOver(record, others) : others
  })
}

type Clients = readonly (readonly [string, AdoptionRecord])[]

async function editAdoptions(
  platform: Platform,
  edit: (clients: ReadonlyMap<string, AdoptionRecord>) => Clients,
): Promise<void> {
  await editStore({
    path: adoptionsFile(platform),
    platform,
    read: () => readAdoptions(platform),
    toText: ({ clients }) =>
      `${JSON.stringify({ version: 1, clients: Object.fromEntries(edit(clients)) }, undefined, 2)}\n`,
  })
}

function handOver({ files, created }: AdoptionRecord, others: Clients): Clients {
  const owned = new Map(
    files.flatMap(({ moved }) => moved.flatMap((each) => (each.isShared ? [] : [[each.as, each] as const]))),
  )
  return others.map(([id, record], index) => {
    const take = ({ isShared, ...entry }: MovedEntry): MovedEntry => {
      const before = owned.get(entry.as)
      if (!before) return { ...entry, ...(isShared && { isShared }) }
      owned.delete(entry.as)
      return { ...entry, ...(before.secrets && { secrets: before.secrets }) }
    }
    return [
      id,
      {
        ...record,
        files: record.files.map((file) => ({ ...file, moved: file.moved.map(take) })),
        created: index === 0 ? [...new Set([...record.created, ...created])] : record.created,
      },
    ]
  })
}

function parse(text: string): ReadonlyMap<string, AdoptionRecord> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isObject(value) || value['version'] !== 1 || !isObject(value['clients'])) return undefined
    const entries = Object.entries(value['clients']).map(([id, record]) => [id, toRecord(record)] as const)
    if (entries.some(([, record]) => record === undefined)) return undefined
    return new Map(entries.flatMap(([id, record]) => (record ? [[id, record] as const] : [])))
  } catch {
    return undefined
  }
}

function toRecord(value: Json): AdoptionRecord | undefined {
  if (!isObject(value) || !hasTexts(value, ['view', 'viewHash'])) return undefined
  const { files, created } = value
  if (!Array.isArray(files) || !isStringArray(created)) return undefined
  const isFile = (file: Json) =>
    isObject(file) &&
    hasTexts(file, ['file', 'kept', 'originalHash', 'writtenHash', 'entry']) &&
    Array.isArray(file['moved']) &&
    file['moved'].every(isMoved)
  return files.every(isFile) ? (value as JsonObject & AdoptionRecord) : undefined // every part was checked
}

function isMoved(value: Json): boolean {
  return isObject(value) && hasTexts(value, ['name', 'as', 'hash']) && Array.isArray(value['path'])
}

function hasTexts(value: JsonObject, keys: readonly string[]): boolean {
  return keys.every((key) => typeof value[key] === 'string')
}
