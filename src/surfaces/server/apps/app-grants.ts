import { randomUUID } from 'node:crypto'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { constants } from 'node:fs'
import { dirname, join } from 'node:path'
import { noGrants, usableGrants } from '../../../apps.ts'
import type { AppGrants, AppWishes } from '../../../apps.ts'
import type { DiscoverOptions } from '../../../index.ts'
import { believePlatform, isObject, stateDirectory } from '../../../internal.ts'

/** What was granted to one app. */
export interface StoredGrants {
  /** The id of the server: another entry, or the same one in another file, is another server. */
  readonly id: string
  readonly server: string
  readonly uri: string
  readonly granted: AppGrants
}

const maxBytes = 1024 * 1024
const maxStored = 1000

/** What the person granted to apps, in a private file. Without one, or with a damaged one, nothing is granted. */
export class AppGrantStore {
  readonly #discover: DiscoverOptions
  #writing: Promise<unknown> = Promise.resolve()

  constructor(discover: DiscoverOptions) {
    this.#discover = discover
  }

  async of(app: Pick<StoredGrants, 'id' | 'uri'>, wishes: AppWishes): Promise<AppGrants> {
    const found = (await this.list()).find(({ id, uri }) => id === app.id && uri === app.uri)
    return found ? usableGrants(wishes, found.granted) : noGrants
  }

  async list(): Promise<readonly StoredGrants[]> {
    return readGrants(await this.#file())
  }

  set(stored: StoredGrants): Promise<void> {
    const written = this.#writing.then(async () => {
      const file = await this.#file()
      const others = (await readGrants(file)).filter(({ id, uri }) => id !== stored.id || uri !== stored.uri)
      const isEmpty = Object.values(stored.granted).every((list) => list.length === 0)
      await writeGrants(file, [...others, ...(isEmpty ? [] : [stored])].slice(-maxStored))
    })
    this.#writing = written.catch(() => undefined)
    return written
  }

  async #file(): Promise<string> {
    const { platform: given, cwd } = this.#discover
    const { platform } = await believePlatform({ ...given, ...(cwd !== undefined && { cwd }) })
    return join(stateDirectory(platform), 'app-grants.json')
  }
}

async function readGrants(file: string): Promise<readonly StoredGrants[]> {
  try {
    const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const { uid, mode, size } = await handle.stat()
      const isOwn = process.getuid === undefined || uid === process.getuid()
      // A file that others can write is not believed.
      if (!isOwn || (process.platform !== 'win32' && (mode & 0o022) !== 0) || size > maxBytes) return []
      const value: unknown = JSON.parse(await handle.readFile('utf8'))
      return Array.isArray(value) ? value.filter(isStored) : []
    } finally {
      await handle.close()
    }
  } catch {
    return []
  }
}

async function writeGrants(file: string, grants: readonly StoredGrants[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const written = `${file}.${randomUUID()}`
  try {
    await writeFile(written, `${JSON.stringify(grants, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(written, file)
  } finally {
    await rm(written, { force: true })
  }
}

function isStored(value: unknown): value is StoredGrants {
  const { id, server, uri, granted } = (value ?? {}) as Readonly<Record<string, unknown>> // checked here
  const isGrants = isObject(granted)
  const lists = isGrants ? Object.values(granted as object) : []
  return (
    [id, server, uri].every((each) => typeof each === 'string') &&
    isGrants &&
    ['connect', 'resources', 'frames', 'permissions'].every((key) => key in (granted as object)) &&
    lists.every((each: unknown) => Array.isArray(each) && each.every((item) => typeof item === 'string'))
  )
}
