import { createHash } from 'node:crypto'
import { join, sep } from 'node:path'
import type { Json } from '../../model/json.ts'
import type { Server } from '../../model/server.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Archive } from '../../sources/clients/mcpb/archive.ts'
import { isDraft, unpackArchive } from '../../sources/clients/mcpb/unpack-archive.ts'
import { expandPlaces } from '../../sources/open-files.ts'
import { namedOnly, placesOf, sourceIds } from '../../sources/places.ts'
import type { World } from '../../sources/source.ts'
import { dataDirectory } from '../own-directories.ts'

function bundlesDirectory(platform: Pick<Platform, 'env' | 'home'>): string {
  return join(dataDirectory(platform), 'bundles')
}

interface PlacedBundle {
  /** The server that runs from the folder. */
  readonly server: Server
  /** The folder, if it was unpacked now; absent if it was there before. */
  readonly unpacked?: string
}

/** Unpacks a bundle into a folder of its own. */
export async function placeBundle(
  server: Server,
  archive: Archive,
  platform: Platform,
  { dryRun }: { readonly dryRun?: boolean },
): Promise<PlacedBundle> {
  const bundles = bundlesDirectory(platform)
  const folder = join(bundles, `${safeName(server.name)}-${hashOf(archive)}`)
  const manifest = join(folder, 'manifest.json')
  const isComplete = async () => (await platform.files.stat(manifest)) !== undefined
  // Check the folder before the manifest: a bundle that another process finishes in between must not look broken.
  const folderExists = (await platform.files.stat(folder)) !== undefined
  if (!dryRun) await sweepDrafts(bundles, platform)
  const isMissing = !dryRun && !(await isComplete())
  if (isMissing) {
    if (folderExists) await platform.files.removeFolder(folder)
    await unpackArchive(archive, folder, platform).catch(async (error: unknown) => {
      // Another process may have unpacked the same bundle first; an equal hash means equal content.
      if (!(await isComplete())) throw error
    })
  }
  const placed = { ...server, origin: { ...server.origin, file: manifest } }
  return { server: placed, ...(isMissing && { unpacked: folder }) }
}

const dayMs = 86_400_000

/** Removes drafts of processes that were killed while unpacking. A draft older than a day cannot be in use. */
async function sweepDrafts(bundles: string, { files, clock }: Platform): Promise<void> {
  const drafts = (await files.list(bundles)).filter((name) => isDraft(name))
  for (const draft of drafts.map((name) => join(bundles, name))) {
    const found = await files.stat(draft)
    const isOld = found?.kind === 'directory' && clock.now() - found.mtimeMs > dayMs
    // A draft that cannot be removed does no harm.
    if (isOld) await files.removeFolder(draft).catch(() => undefined)
  }
}

function safeName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]+/g, '-').slice(0, 50)
}

/** Hashes the whole content, so that another version of a bundle gets another folder even under the same name. */
function hashOf({ files, executables }: Archive): string {
  const hash = createHash('sha256')
  for (const name of [...files.keys()].sort()) {
    const content = files.get(name) ?? new Uint8Array()
    hash.update(JSON.stringify([name, content.length, executables.has(name)])).update(content)
  }
  return hash.digest('hex').slice(0, 32)
}

/** Removes the bundles that an entry ran from, unless a file of any client still refers to them. Returns those it could not remove. */
export async function dropBundles(
  removed: Json,
  { platform, world }: { readonly platform: Platform; readonly world: World },
): Promise<readonly string[]> {
  const folder = bundlesDirectory(platform)
  const names = bundlesIn(removed, folder)
  if (names.length === 0) return []
  const texts = await textsOfAll(platform, world)
  const unused = names.filter((name) => !texts.some((text) => text.includes(name)))
  const stuck = await Promise.all(
    unused
      .map((name) => join(folder, name))
      .map((path) =>
        platform.files.removeFolder(path).then(
          () => [],
          () => [path],
        ),
      ),
  )
  return stuck.flat()
}

/** Names of bundle folders in the texts of an entry. Matches only names that `placeBundle` creates. */
function bundlesIn(value: Json, folder: string): readonly string[] {
  const found = new Set<string>()
  const collectFrom = (item: Json): void => {
    if (typeof item === 'object' && item !== null) Object.values(item).forEach(collectFrom)
    if (typeof item !== 'string') return
    for (const rest of item.split(`${folder}${sep}`).slice(1)) {
      const [, name] = /^([\w-]{1,50}-[0-9a-f]{32})(?![\w-])/.exec(rest) ?? []
      if (name !== undefined) found.add(name)
    }
  }
  collectFrom(value)
  return [...found]
}

/** The files of all clients, including disabled sources: servers are exported to them with their paths. */
async function textsOfAll({ files }: Platform, world: World): Promise<readonly string[]> {
  const places = sourceIds.filter((id) => !namedOnly.has(id)).flatMap((id) => placesOf(id, world))
  const paths = new Set((await expandPlaces(places, files)).map(({ path }) => path))
  const found = await Promise.all([...paths].map((path) => files.readText(path)))
  return found.flatMap((each) => (each.kind === 'text' ? [each.text] : []))
}
