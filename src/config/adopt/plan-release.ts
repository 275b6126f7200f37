import { hashOf, sha256Hex } from '../../model/canonical.ts'
import { HostError } from '../../model/error.ts'
import { isObject, valueAt } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Platform } from '../../platform/platform.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import { parseText } from '../../sources/formats/parse-text.ts'
import { openFiles } from '../../sources/open-files.ts'
import { placesOf } from '../../sources/places.ts'
import type { SourceId } from '../../sources/places.ts'
import type { Source } from '../../sources/source.ts'
import type { LostField } from '../../sources/entries/write-rules.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import type { FileChange } from '../edit/dry-run.ts'
import { addServer, insertEntry, removeServer } from '../edit/edit-entry.ts'
import { editFile } from '../edit/edit-file.ts'
import { editSetting } from '../edit/edit-settings.ts'
import { targetIn } from '../edit/edit-target.ts'
import type { EditTarget } from '../edit/edit-target.ts'
import { describeFor } from '../edit/transfer.ts'
import { openWorkbench } from '../edit/workbench.ts'
import type { Workbench } from '../edit/workbench.ts'
import { refuseDamaged } from '../private-file-edit.ts'
import { settingsFile } from '../settings.ts'
import type { LeftEntry, ReleasePlan } from './adopt-plan.ts'
import { adoptionsFile, readAdoptions } from './adoption-record.ts'
import type { AdoptedFile, Adoptions, MovedEntry } from './adoption-record.ts'
import { keychainReference, withSecrets } from './keychain-secrets.ts'
import { changedFiles, entriesIn, textNow } from './our-entries.ts'
import { adoptable } from './user-files.ts'

/** Plans to put the entries of an adopted client back into its files. What changed since in those files stays. */
export async function planRelease(client: string, options: DiscoverOptions): Promise<ReleasePlan> {
  const id = adoptable(client)
  const bench = await openWorkbench({ ...options, config: undefined, sources: ['plugboard'], dryRun: true })
  const { platform } = bench
  const adoptions = await readAdoptions(platform)
  refuseDamaged(adoptions.damage, adoptionsFile(platform))
  const record = adoptions.clients.get(id)
  const source = await loadSource(id)
  if (!record) throw notAdopted(source, adoptions)
  const ours = await targetIn(await loadSource('plugboard'), bench, 'user')
  const entries = await entriesIn(ours)
  const releaser = new Releaser(source, bench, ours, entries)
  for (const file of record.files) await releaser.putBack(file)
  const accounts = await removeOurs(record.files, { adoptions, id, ours, entries })
  await removeView(record, platform)
  const { changes } = bench.finish({ file: ours.place.path, changed: true, lost: [] })
  const empty = changes.filter(({ file, after }) => record.created.includes(file) && isEmptied(after))
  const removed = empty.map(({ file }) => file)
  return {
    kind: 'release',
    client: id,
    title: source.title,
    restored: releaser.restored,
    left: releaser.left,
    identical: releaser.identical,
    lost: releaser.lost,
    changes: orderChanges(changes, record.files),
    removes: [...releaser.unneeded, ...removed],
    writes: [...changedFiles(changes).filter((file) => !removed.includes(file)), adoptionsFile(platform)],
    keeps: releaser.keeps,
    accounts,
  }
}

/** Our files first: applying goes backwards, so that the client has its entries before ours lose them. */
function orderChanges(changes: readonly FileChange[], files: readonly AdoptedFile[]): readonly FileChange[] {
  const isClients = ({ file }: FileChange) => files.some((each) => each.file === file)
  return [...changes.filter((each) => !isClients(each)), ...changes.filter(isClients)]
}

class Releaser {
  readonly restored: string[] = []
  readonly left: LeftEntry[] = []
  readonly identical: string[] = []
  readonly lost: LostField[] = []
  readonly unneeded: string[] = []
  readonly keeps: string[] = []
  readonly #source: Source
  readonly #bench: Workbench
  readonly #ours: EditTarget
  readonly #entries: ReadonlyMap<string, JsonObject>

  constructor(source: Source, bench: Workbench, ours: EditTarget, entries: ReadonlyMap<string, JsonObject>) {
    this.#source = source
    this.#bench = bench
    this.#ours = ours
    this.#entries = entries
  }

  async putBack(adopted: AdoptedFile): Promise<void> {
    const { platform } = this.#bench
    const { file, kept } = adopted
    const original = await textNow(kept, platform.files)
    const isWhole = sha256Hex(original) === adopted.originalHash
    const hash = sha256Hex(await textNow(file, platform.files))
    const isUntouched = hash === adopted.writtenHash
    // The program that adopted it ended before it came to this file, or the person put the file back.
    const isBack = hash === adopted.originalHash
    const canPutBack = isWhole && isUntouched && adopted.moved.every((moved) => this.#isSame(moved))
    if (isBack || canPutBack) {
      if (canPutBack) await editFile({ platform, path: file, edit: () => original })
      this.identical.push(file)
      if (isWhole) this.unneeded.push(kept)
      this.restored.push(...adopted.moved.map(({ name }) => name))
      return
    }
    if (isWhole) this.keeps.push(kept)
    await this.#merge(adopted, isWhole ? original : undefined)
  }

  /** Whether our entry is as adopting wrote it. */
  #isSame({ as, hash }: MovedEntry): boolean {
    const entry = this.#entries.get(as)
    return entry !== undefined && hashOf(entry) === hash
  }

  /** Puts each entry back by itself, for a file or an entry that changed since. */
  async #merge({ file, entry, moved }: AdoptedFile, original: string | undefined): Promise<void> {
    const target = await this.#targetFor(file)
    const before = await entriesIn(target)
    const value = original === undefined ? undefined : (await parseText(original, target.place.format)).value
    for (const each of moved) {
      const problem = before.has(each.name)
        ? 'The file has an entry of this name again.'
        : await this.#restore(each, valueAt(value, each.path), target)
      if (problem === undefined) this.restored.push(each.name)
      else this.left.push({ name: each.name, reason: problem })
    }
    if (before.has(entry)) await removeServer(target, entry)
  }

  async #restore(
    moved: MovedEntry,
    original: Json | undefined,
    target: EditTarget,
  ): Promise<string | undefined> {
    if (!this.#entries.has(moved.as)) return 'It was removed from your own file since.'
    if (this.#isSame(moved) && isObject(original)) {
      await insertEntry(target, moved.name, original)
      return undefined
    }
    return this.#translate(moved, target)
  }

  /** Writes our entry in the client's form: it was changed since, or the copy of the original is gone. */
  async #translate({ name, as }: MovedEntry, target: EditTarget): Promise<string | undefined> {
    const { platform, world } = this.#bench
    const text = await withSecrets(await textNow(this.#ours.place.path, platform.files), platform.keychain)
    const { place, source } = this.#ours
    const doc = await parseText(text, place.format)
    const server = source.read([{ ...place, doc }], world).servers.find((each) => each.name === as)
    if (!server) return 'Its entry in your own file cannot be used.'
    try {
      const described = await describeFor(server, target)
      const { lost } = await addServer(target, { ...described.server, name }, 'adapt')
      this.lost.push(
        ...[...described.lost, ...lost].map((each) => ({ ...each, field: `${name}.${each.field}` })),
      )
      return undefined
    } catch (error) {
      if (!(error instanceof HostError) || error.code === 'config.unwritable') throw error
      return error.message
    }
  }

  async #targetFor(file: string): Promise<EditTarget> {
    const { platform, world } = this.#bench
    const { files } = await openFiles(placesOf(this.#source.id, world), platform.files)
    const real = await Promise.all(files.map(({ path }) => platform.files.realPath(path)))
    const place = files.find(({ path }, at) => path === file || real[at] === file)
    if (!place)
      throw new HostError('config.unwritable', { file }, `${file} is gone.`, {
        hint: 'Put it back, or start the client once, then try again.',
      })
    return { platform, world, source: this.#source, place }
  }
}

interface OurEntries {
  readonly adoptions: Adoptions
  readonly id: SourceId
  readonly ours: EditTarget
  readonly entries: ReadonlyMap<string, JsonObject>
}

/** Removes the entries from our file that adopting added and no other adopted client uses. Returns the accounts of their secrets. */
async function removeOurs(files: readonly AdoptedFile[], { adoptions, id, ours, entries }: OurEntries) {
  const others = [...adoptions.clients].filter(([client]) => client !== id)
  const used = new Set(
    others.flatMap(([, record]) => record.files.flatMap(({ moved }) => moved.map(({ as }) => as))),
  )
  const accounts: string[] = []
  for (const { as, isShared, secrets = [] } of files.flatMap(({ moved }) => moved)) {
    if (isShared || used.has(as)) continue
    if (entries.has(as)) await removeServer(ours, as)
    accounts.push(...secrets)
  }
  // The person may have given the entry another name.
  const text = await textNow(ours.place.path, ours.platform.files)
  return accounts.filter((account) => !text.includes(keychainReference(account)))
}

/** Removes the view unless the person changed it. */
async function removeView(
  { view, viewHash }: { readonly view: string; readonly viewHash: string },
  platform: Platform,
): Promise<void> {
  const text = await textNow(settingsFile(platform), platform.files)
  const views = valueAt((await parseText(text.trim() === '' ? '{}' : text, 'json')).value, ['views'])
  const now = isObject(views) ? views[view] : undefined
  if (now === undefined || hashOf(now) !== viewHash) return
  const isOnly = isObject(views) && Object.keys(views).length === 1
  await editSetting(platform, isOnly ? ['views'] : ['views', view], () => undefined)
}

/** Whether a JSON text holds nothing but empty objects, and no comment. */
function isEmptied(text: string): boolean {
  try {
    const isEmpty = (value: unknown): boolean => isObject(value) && Object.values(value).every(isEmpty)
    return text.trim() === '' || isEmpty(JSON.parse(text))
  } catch {
    return false
  }
}

function notAdopted({ id, title }: Source, { clients }: Adoptions): HostError {
  const names = [...clients.keys()]
  return new HostError('server.unknown', { server: id, near: names }, `${title} is not adopted.`, {
    hint: names.length === 0 ? 'No client is.' : `Adopted: ${names.join(', ')}`,
  })
}
