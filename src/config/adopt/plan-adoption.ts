import { hashOf, sha256Hex } from '../../model/canonical.ts'
import { HostError } from '../../model/error.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Server } from '../../model/server.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import type { LostField, NewServer } from '../../sources/entries/write-rules.ts'
import type { Source, World } from '../../sources/source.ts'
import { addServer, removeServer } from '../edit/edit-entry.ts'
import { editSetting } from '../edit/edit-settings.ts'
import { notEditableError, targetIn } from '../edit/edit-target.ts'
import type { EditTarget } from '../edit/edit-target.ts'
import { describeFor } from '../edit/transfer.ts'
import { openWorkbench } from '../edit/workbench.ts'
import type { Workbench } from '../edit/workbench.ts'
import { settingsFile } from '../settings.ts'
import type { AdoptOptions, AdoptPlan, KeptFile, MovedServer, SecretPlace } from './adopt-plan.ts'
import { adoptionsFile, readAdoptions } from './adoption-record.ts'
import type { AdoptedFile, MovedEntry } from './adoption-record.ts'
import { renameApproved, toClientView } from './client-view.ts'
import type { NamedServer } from './client-view.ts'
import { isKeychainUsable, toKeychain, withSecrets } from './keychain-secrets.ts'
import type { StoredSecret } from './keychain-secrets.ts'
import { changedFiles, entriesIn, textNow } from './our-entries.ts'
import { settingsLeft } from './settings-left.ts'
import { adoptable, readUserFiles, startsPlugboard } from './user-files.ts'
import type { StayingEntry, UserFile } from './user-files.ts'
import { holdsSecret } from '../edit/check-server.ts'
import { refuseDamaged } from '../private-file-edit.ts'

/** Fields whose loss changes nothing about how a server works; the preview names them. */
const mayBeLost = /^(?:autoApprove|allowedTools|deniedTools|watch|lifecycle|restart|title|description)$/

/** Plans to move the user's servers of a client into our file, behind one entry that starts the gateway. */
export async function planAdoption(client: string, options: AdoptOptions): Promise<AdoptPlan> {
  const id = adoptable(client)
  const bench = await openWorkbench({ ...options, config: undefined, sources: ['plugboard'], dryRun: true })
  const { platform, world } = bench
  const adoptions = await readAdoptions(platform)
  refuseDamaged(adoptions.damage, 'adoptions.json')
  const { source, files, stays: stayed } = await readUserFiles(id, bench)
  if (adoptions.clients.has(id)) throw alreadyAdopted(id, source.title)
  const ours = await targetIn(await loadSource('plugboard'), bench, 'user')
  const created = await missing([ours.place.path, settingsFile(platform)], bench)
  const mover = new Mover(id, bench, ours, await isKeychainUsable(platform.keychain))
  const stays: StayingEntry[] = [...stayed]
  const adopted: { readonly file: UserFile; readonly moved: readonly Moved[] }[] = []
  for (const file of files) {
    const moved: Moved[] = []
    for (const { server, path } of file.entries) {
      const result = await mover.move(server, {
        title: source.title,
        timeKeys: timeKeysOf(source, file, world),
      })
      if ('reason' in result) stays.push({ name: server.name, file: file.file.path, reason: result.reason })
      else moved.push({ ...result, server, path })
    }
    if (moved.length > 0) adopted.push({ file, moved })
  }
  const all = adopted.flatMap(({ moved }) => moved)
  if (all.length === 0) throw nothingToAdopt(source.title, files, stays)
  const view = freeName(id, Object.keys(bench.settings.views ?? {}), '-adopted')
  const viewSettings = { ...toClientView(all) }
  await editSetting(platform, ['views', view], () => viewSettings)
  const { approved, lost } = renameApproved(all)
  const kept: KeptFile[] = []
  const records: AdoptedFile[] = []
  for (const { file, moved } of adopted) {
    const before = await textNow(file.file.path, platform.files)
    const target: EditTarget = { platform, world, source, place: file.file }
    const entry = await addGateway(target, gatewayEntry(moved, approved, view, options))
    mover.lost.push(...entry.lost)
    for (const { server } of moved) await removeServer(target, server.name)
    const path = await platform.files.realPath(file.file.path)
    const copy = await freePath(`${path}.before-plugboard`, bench)
    kept.push({ file: path, kept: copy, text: before })
    records.push({
      file: path,
      kept: copy,
      originalHash: sha256Hex(before),
      writtenHash: sha256Hex(await textNow(path, platform.files)),
      entry: entry.name,
      moved: moved.map(({ server, path: at, as, hash, isShared, accounts }) => ({
        name: server.name,
        as,
        path: at,
        hash,
        ...(isShared && { isShared }),
        ...(accounts.length > 0 && { secrets: accounts }),
      })) satisfies readonly MovedEntry[],
    })
  }
  const { changes } = bench.finish({ file: ours.place.path, changed: true, lost: [] })
  return {
    kind: 'adopt',
    client: id,
    title: source.title,
    view,
    moved: adopted.flatMap(({ file, moved }) => moved.map((each) => toShown(each, file))),
    stays,
    lost: [...mover.lost, ...lost],
    notes: [...unseenSwitches(source), ...callTimes(all)],
    secretPlaces: mover.places,
    secrets: mover.secrets,
    kept,
    changes,
    writes: [...changedFiles(changes), ...kept.map((each) => each.kept), adoptionsFile(platform)],
    record: { view, viewHash: hashOf(viewSettings), files: records, created },
  }
}

interface Moved extends NamedServer {
  readonly path: readonly (string | number)[]
  readonly hash: string
  readonly isShared: boolean
  readonly accounts: readonly string[]
}

/** Writes servers of a client into our file, each under a name that is free there. */
class Mover {
  readonly lost: LostField[] = []
  readonly places: SecretPlace[] = []
  readonly secrets: StoredSecret[] = []
  readonly #client: string
  readonly #bench: Workbench
  readonly #ours: EditTarget
  readonly #hasKeychain: boolean

  constructor(client: string, bench: Workbench, ours: EditTarget, hasKeychain: boolean) {
    this.#client = client
    this.#bench = bench
    this.#ours = ours
    this.#hasKeychain = hasKeychain
  }

  async move(
    server: Server,
    owner: Parameters<typeof settingsLeft>[2],
  ): Promise<Omit<Moved, 'server' | 'path'> | { readonly reason: string }> {
    try {
      const described = await describeFor(server, this.#ours)
      const bad = described.lost.filter(({ field }) => !mayBeLost.test(field))
      if (bad.length > 0) return { reason: bad.map(({ field, reason }) => `${field}: ${reason}`).join(' ') }
      const [input] = described.server.inputs ?? []
      if (input) return { reason: `It asks for "${input.id}" when it starts, which the gateway cannot do.` }
      // The filter of tools is the client's own: it becomes a rule of its view, and other clients keep all tools.
      const { tools: _tools, ...plain } = described.server
      const moved = await this.#write(server, plain)
      this.#note(server.name, [...described.lost, ...settingsLeft(server, moved.as, owner)])
      return moved
    } catch (error) {
      if (!(error instanceof HostError) || error.code === 'config.unwritable') throw error
      return { reason: error.message }
    }
  }

  async #write(server: Server, plain: NewServer): Promise<Omit<Moved, 'server' | 'path'>> {
    const entries = await entriesIn(this.#ours)
    const equal = await this.#equalEntry(plain, entries)
    if (equal) {
      this.#note(server.name, equal.others)
      return { as: equal.name, hash: hashOf(equal.entry), isShared: true, accounts: [] }
    }
    const name = freeName(plain.name, [...entries.keys()], `-${this.#client}`)
    const { server: stored, secrets } = this.#hasKeychain
      ? toKeychain({ ...plain, name })
      : { server: { ...plain, name }, secrets: [] }
    const { lost, renamed = name } = await addServer(this.#ours, stored, 'adapt')
    this.#note(server.name, lost)
    this.secrets.push(...secrets)
    if (holdsSecret(plain))
      this.places.push({ server: renamed, store: holdsSecret(stored) ? 'file' : 'keychain' })
    const entry = (await entriesIn(this.#ours)).get(renamed)
    return {
      as: renamed,
      hash: hashOf(entry ?? {}),
      isShared: false,
      accounts: secrets.map(({ account }) => account),
    }
  }

  /** An entry of our file that connects to the same server with the same values. */
  async #equalEntry(plain: NewServer, entries: ReadonlyMap<string, JsonObject>) {
    const before = entries.get(plain.name)
    if (!before) return undefined
    const { toEntry } = await import('../../sources/entries/write-entry.ts')
    const { rules, own } = await this.#ourRules()
    const wanted = toEntry(plain, rules, own).entry
    const found = JSON.parse(
      await withSecrets(JSON.stringify(before), this.#bench.platform.keychain),
    ) as JsonObject // the text of an object
    if (connection(found) !== connection(wanted)) return undefined
    return { name: plain.name, entry: before, others: otherSettings(wanted, found) }
  }

  async #ourRules() {
    const { source, place, world } = this.#ours
    const { parseText } = await import('../../sources/formats/parse-text.ts')
    const target = source.writing?.({ ...place, doc: await parseText('', place.format) }, world)
    if (!target) throw notEditableError(this.#ours)
    return target
  }

  #note(server: string, lost: readonly LostField[]): void {
    this.lost.push(...lost.map(({ field, reason }) => ({ field: `${server}.${field}`, reason })))
  }
}

function timeKeysOf({ writing }: Source, { file }: UserFile, world: World): readonly string[] {
  return writing?.(file, world).rules.timeouts?.map(({ key }) => key) ?? []
}

/** Clients whose files do not say what is switched off. */
function unseenSwitches({ title, switchesElsewhere: what }: Source): readonly string[] {
  if (what === undefined) return []
  const moved = `${title} keeps which ${what} are switched off outside its files, where Plugboard does not see it: what moves is on.`
  return [`${moved} Switch a server off with "plugboard disable NAME", and tools in the view.`]
}

/** Clients have limits of their own for calls of servers that declare none. */
function callTimes(moved: readonly Moved[]): readonly string[] {
  const names = moved.flatMap(({ as, server: { timeouts } }) => (timeouts.callMs === undefined ? [as] : []))
  if (names.length === 0) return []
  const limit = 'end after 60 seconds without an answer or progress, whatever the client allows'
  return [`Calls of ${names.join(', ')} ${limit}. "timeout" of an entry changes that.`]
}

/** The parts of an entry that decide which server it is. */
const connectionKeys = ['command', 'args', 'env', 'cwd', 'envFile', 'url', 'headers', 'auth']

/** What an entry says beside its connection, where the one that is shared says something else. */
function otherSettings(wanted: JsonObject, shared: JsonObject): readonly LostField[] {
  const keys = Object.keys(wanted).filter((key) => key !== 'type' && !connectionKeys.includes(key))
  return keys
    .filter((key) => hashOf(wanted[key] ?? null) !== hashOf(shared[key] ?? null))
    .map((field) => {
      const { [field]: own } = shared
      const says = own === undefined ? 'does not have it' : `has ${JSON.stringify(own)}`
      return { field, reason: `The entry of your own file, which both use, ${says}.` }
    })
}

/** Without empty parts. */
function connection(entry: JsonObject): string {
  const isEmpty = (value: Json | undefined) =>
    value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  return hashOf(
    Object.fromEntries(connectionKeys.filter((key) => !isEmpty(entry[key])).map((key) => [key, entry[key]])),
  )
}

/** A server without a time of its own has that of the client, which is not known: it is hardly longer than this. */
const clientLimits = { callMs: 600_000, startupMs: 60_000 } as const

/** The client waits for the gateway as long as it waited for the slowest of its servers. */
function gatewayEntry(
  moved: readonly Moved[],
  approved: readonly string[],
  view: string,
  { program }: AdoptOptions,
): NewServer {
  const longest = (field: 'callMs' | 'startupMs') => {
    const known = moved.flatMap(({ server: { timeouts } }) => timeouts[field] ?? [])
    if (known.length === 0) return {}
    const atLeast = known.length < moved.length ? clientLimits[field] : 0
    return { [field]: known.includes(0) ? 0 : Math.max(atLeast, ...known) }
  }
  const own = new Set(moved.map(({ as }) => as))
  const autoApprove = approved.filter((name) => own.has(name.slice(0, name.indexOf('__'))))
  return {
    name: 'plugboard',
    transport: {
      kind: 'stdio',
      command: program.command,
      args: [...program.args, 'gateway', '--view', view],
    },
    timeouts: { ...longest('callMs'), ...longest('startupMs') },
    ...(autoApprove.length > 0 && { tools: { autoApprove } }),
  }
}

async function addGateway(target: EditTarget, server: NewServer) {
  for (const name of ['plugboard', 'plugboard-gateway', 'plugboard-gateway-2']) {
    try {
      const { lost, renamed = name } = await addServer(target, { ...server, name }, 'adapt')
      return { name: renamed, lost: lost.map((each) => ({ ...each, field: `${renamed}.${each.field}` })) }
    } catch (error) {
      if (!(error instanceof HostError && error.code === 'config.exists')) throw error
    }
  }
  const { path: file } = target.place
  throw new HostError(
    'config.exists',
    { server: 'plugboard', file },
    `${file} has no free name for the gateway.`,
  )
}

function toShown({ server, as, isShared }: Moved, { file }: UserFile): MovedServer {
  const { allow, deny } = server.tools
  const tools = { ...(allow !== null && { allow }), ...(deny.length > 0 && { deny }) }
  return {
    name: server.name,
    as,
    file: file.path,
    isShared,
    toolNames: `${as}__*`,
    ...(Object.keys(tools).length > 0 && { tools }),
  }
}

function freeName(wanted: string, taken: readonly string[], suffix: string): string {
  if (!taken.includes(wanted)) return wanted
  let name = `${wanted}${suffix}`
  for (let n = 2; taken.includes(name); n++) name = `${wanted}${suffix}-${n}`
  return name
}

async function freePath(wanted: string, { platform }: Workbench): Promise<string> {
  let path = wanted
  for (let n = 2; await platform.files.stat(path); n++) path = `${wanted}-${n}`
  return path
}

async function missing(paths: readonly string[], { platform }: Workbench): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map(async (path) => ((await platform.files.stat(path)) ? [] : [path])),
  )
  return found.flat()
}

function alreadyAdopted(client: string, title: string): HostError {
  return new HostError(
    'config.exists',
    { server: 'plugboard', file: title },
    `${title} is adopted already.`,
    {
      hint: `To adopt servers that were added since, release it first: plugboard release ${client}`,
    },
  )
}

function nothingToAdopt(
  title: string,
  files: readonly UserFile[],
  stays: readonly StayingEntry[],
): HostError {
  const where = files.map(({ file }) => file.path).join(', ')
  const why = stays.map(({ name, reason }) => `"${name}" stays: ${reason}`).join(' ')
  const message =
    files.length === 0
      ? `There is nothing to adopt: ${title} has no file of yours here.`
      : `There is nothing to adopt in ${where}.${why && ` ${why}`}`
  const left = stays.filter(({ reason }) => reason !== startsPlugboard).map(({ name }) => name)
  return new HostError('server.unknown', { server: title, near: [], stays: left }, message)
}
