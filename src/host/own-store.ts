import { join, resolve, sep } from 'node:path'
import { believedPlatformOf } from '../config/discover-options.ts'
import { imagesDirectory, stateDirectory } from '../config/own-directories.ts'
import { createVolatileMemory, openMemory } from '../config/file-memory.ts'
import { findForeignAccess } from '../config/private-file-checks.ts'
import { redactText } from '../config/redact-text.ts'
import { readSettings, settingsFile } from '../config/settings.ts'
import { takeMemoryFile } from '../config/take-memory-file.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { HostError } from '../model/error.ts'
import type { Mask } from '../model/mask-texts.ts'
import type { Memory } from '../model/memory.ts'
import { nodePlatform } from '../platform/node/node-platform.ts'
import type { Platform } from '../platform/platform.ts'
import type { Store, StoreOptions } from '../store/store-interface.ts'

const variable = 'PLUGBOARD_DATABASE_URL'

export interface OpenStoreOptions extends Omit<StoreOptions, 'platform'> {
  /** This machine if absent. */
  readonly platform?: StoreOptions['platform']
}

/**
 * Opens a store at a place of the program's own, and creates or updates its tables. `undefined`: there is no driver for SQLite
 * here.
 *
 * @example
 * const store = await openStore({ at: { file: 'data/store.db' }, redact: (text) => host.redact(text) })
 */
export async function openStore({
  platform = nodePlatform({}),
  ...options
}: OpenStoreOptions): Promise<Store | undefined> {
  const { openStore: open } = await import('../store/sql-store.ts')
  return open({ ...options, platform })
}

export interface OwnStoreOptions extends Partial<Pick<StoreOptions, 'onProblem' | 'retryMs'>> {
  readonly platform?: Partial<Platform>
  readonly cwd?: string
  /** Takes secrets out of everything that is written: `host.redact`. By default what has the form of a secret is masked. */
  readonly redact?: Mask
  /** `false` makes no file where there is none yet. */
  readonly mayCreate?: boolean
}

export interface OwnStore {
  /** Absent if there is no driver for SQLite here, and with `mayCreate: false` if there is nothing to open. */
  readonly store?: Store
  /** Takes the calls that other programs made since into the store, and returns how many there were. */
  readonly takeCalls?: () => Promise<number>
  /** Takes the rows of the audit trail that are in files into the store, and returns how many there were. */
  readonly takeAudit?: () => Promise<number>
  /** Switches and approvals: those of the store, or where there never was one those of the person's private file. */
  readonly memory?: Memory
  /** Why nothing is kept and which command changes that, and what of the person's directories or files is not used. */
  readonly problems: readonly Diagnostic[]
}

/**
 * Opens the person's own store: the PostgreSQL database that `PLUGBOARD_DATABASE_URL` or `store.url` of their settings names,
 * otherwise a private file in the state directory. What a memory file holds is taken over first.
 *
 * @example
 * const { store, problems } = await openOwnStore({ redact: (text) => host.redact(text) })
 */
export async function openOwnStore(options: OwnStoreOptions = {}): Promise<OwnStore> {
  const { redact = redactText, onProblem, retryMs, mayCreate = true } = options
  const { platform, diagnostics } = await believedPlatformOf(options)
  const at = await ownStorePlace(platform)
  const problems = [...diagnostics]
  let isThere = false
  if ('file' in at) {
    isThere = (await platform.files.stat(at.file)) !== undefined
    if (!mayCreate && !isThere) return { problems: [...problems, ...(await withoutFile(platform))] }
    problems.push(...(await makePrivate(at.file, platform)))
  }
  const store = await openStore({
    at,
    platform,
    redact: (text) => redact(text),
    onRemoved: (ids) => removeImages(ids, platform),
    ...(onProblem && { onProblem }),
    ...(retryMs !== undefined && { retryMs }),
  })
  if (!store) {
    // A file beside a store may hold what was withdrawn since.
    const memory = isThere ? createVolatileMemory(() => platform.clock.now()) : await openMemory(platform)
    return { memory, problems: [...problems, await withoutDriver(platform)] }
  }
  try {
    const damage = await takeMemoryFile(platform, (rows) => store.takeOver(rows))
    // Another process may have taken it while this one waited.
    await store.memory.recall()
    const takeCalls = await openJournal(platform, store)
    const takeAudit = async () => {
      const { ownAuditFiles } = await import('./own-trail.ts')
      return ownAuditFiles(platform).take((rows) => store.audit.add(rows))
    }
    const told = damage ? [...problems, damage] : problems
    return { store, memory: store.memory, takeCalls, takeAudit, problems: told }
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Short commands write their calls into a journal; what it has is taken into the store, now and when it is asked for. */
async function openJournal(platform: Platform, store: Store): Promise<() => Promise<number>> {
  const { files, lock } = platform
  const journal = { files, lock, file: journalFile(platform) }
  const { makeJournal, takeJournal } = await import('../store/call-journal.ts')
  const take = () => takeJournal(journal, store.calls)
  // A journal that cannot be used costs the history of calls, and not the store.
  await makeJournal(journal)
    .then(take)
    .catch(() => undefined)
  return take
}

function journalFile(places: Pick<Platform, 'env' | 'home'>): string {
  return join(stateDirectory(places), 'calls.jsonl')
}

/** The file that is or would be the person's store; `undefined` if they have named a database. */
export async function ownStoreFile(platform: Platform): Promise<string | undefined> {
  if (platform.env[variable]) return undefined
  const { store } = (await readSettings(platform)).settings
  return store ? undefined : join(stateDirectory(platform), 'store.db')
}

/** Whether the person's store is a database server, which programs on other machines may use too. */
export async function hasSharedStore(
  options: Pick<OwnStoreOptions, 'platform' | 'cwd'> = {},
): Promise<boolean> {
  const { platform } = await believedPlatformOf(options)
  return (await ownStoreFile(platform)) === undefined
}

/** Never where a project or its application says: neither its settings nor `DATABASE_URL` are looked at. */
async function ownStorePlace(platform: Platform): Promise<StoreOptions['at']> {
  const file = await ownStoreFile(platform)
  if (file !== undefined) return { file }
  const given = platform.env[variable]
  if (given) return { url: postgresAddress(given, variable) }
  const { store } = (await readSettings(platform)).settings
  const { resolveOwnValue } = await import('../config/values/own-value.ts')
  const url = await resolveOwnValue(store?.url ?? '', { key: 'store.url', platform })
  return { url: postgresAddress(url, `"store.url" in ${settingsFile(platform)}`) }
}

/** The address itself is not shown: it may have a password. */
function postgresAddress(url: string, name: string): string {
  if (/^postgres(?:ql)?:\/\//.test(url)) return url
  throw new HostError(
    'config.invalid',
    { key: name },
    `${name} must be the address of a PostgreSQL database.`,
    {
      hint: 'Write it as postgres://user:password@host/database.',
    },
  )
}

/**
 * T47: a store that others can write could hold approvals that the person never gave, so it is refused. One that they can only
 * read is taken from them: what is in it is right.
 */
async function makePrivate(file: string, platform: Platform): Promise<readonly Diagnostic[]> {
  // SQLite keeps recent changes in files beside it.
  const all = [file, `${file}-wal`, `${file}-shm`]
  const readable: string[] = []
  for (const path of all) {
    const { mode = 0, kind = 'file' } = (await platform.files.stat(path)) ?? {}
    const why = kind === 'file' ? await findForeignAccess(path, platform) : `${path} is not a file`
    if (why !== undefined)
      throw new HostError('store.damaged', { file }, `The store ${file} is not used: ${why}.`, {
        hint: 'Make the file and its folder yours alone (chmod go-w, chown), or remove the file.',
      })
    if (platform.os !== 'win32' && mode & 0o077) readable.push(path)
  }
  if (readable.length === 0) return []
  const { shutOthersOut } = await import('../platform/node/open-sqlite.ts')
  for (const path of readable) await shutOthersOut(path)
  return [
    {
      code: 'readable-by-others',
      severity: 'warn',
      message: `Other users could read the store ${file}. Now only you can.`,
      origin: { file },
    },
  ]
}

/** Only the ids of this program: a name in a shared database must not lead elsewhere. */
async function removeImages(ids: readonly string[], platform: Platform): Promise<void> {
  for (const id of ids)
    if (/^[\da-f-]{36}$/.test(id))
      await platform.files.removeFolder(imagesDirectory(platform, id)).catch(() => undefined)
}

/** Why there is no store: nothing was kept yet, or nothing can be. */
async function withoutFile(platform: Platform): Promise<readonly Diagnostic[]> {
  const { findSqlite } = await import('../platform/node/open-sqlite.ts')
  return (await findSqlite()) ? [] : [await withoutDriver(platform)]
}

async function withoutDriver(platform: Platform): Promise<Diagnostic> {
  const file = join(stateDirectory(platform), 'store.db')
  return {
    code: 'store-without-driver',
    severity: 'warn',
    message: `Conversations are not kept: this Node (${process.version}) has no SQLite, and the package libsql is not installed.`,
    hint: `Keep them: ${await installCommand(platform)} (or use Node 22.13 or newer).`,
    origin: { file },
  }
}

/** The command that installs the driver where this package finds it: beside itself. */
async function installCommand({ files, cwd }: Platform): Promise<string> {
  const here = import.meta.dirname
  const end = here.lastIndexOf(`${sep}node_modules${sep}plugboard${sep}`)
  const folder = end < 0 ? undefined : here.slice(0, end)
  // The folder of packages for all users has no package.json beside it, that of a project or of npx has.
  if (folder === undefined || !(await files.stat(join(folder, 'package.json')))) return 'npm i -g libsql'
  return resolve(cwd) === folder ? 'npm i libsql' : `npm i --prefix ${folder} libsql`
}
