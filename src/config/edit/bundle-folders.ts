import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Server } from '../../model/server.ts'
import type { Platform } from '../../platform/platform.ts'
import type { Archive } from '../../sources/clients/mcpb/archive.ts'
import { isDraft, unpackArchive } from '../../sources/clients/mcpb/unpack-archive.ts'
import { dataDirectory } from '../own-directories.ts'

export function bundlesDirectory(platform: Pick<Platform, 'env' | 'home'>): string {
  return join(dataDirectory(platform), 'bundles')
}

/** Gives a bundle a folder of its own to run from, and the server that runs there. */
export async function placeBundle(
  server: Server,
  archive: Archive,
  platform: Platform,
  { dryRun }: { readonly dryRun?: boolean },
): Promise<Server> {
  const bundles = bundlesDirectory(platform)
  const folder = join(bundles, `${safeName(server.name)}-${hashOf(archive)}`)
  const manifest = join(folder, 'manifest.json')
  const isComplete = async () => (await platform.files.stat(manifest)) !== undefined
  // First the folder, then the manifest: one that another process finishes in between is not taken for a broken one.
  const isThere = (await platform.files.stat(folder)) !== undefined
  if (!dryRun) await sweepDrafts(bundles, platform)
  if (!dryRun && !(await isComplete())) {
    if (isThere) await platform.files.removeFolder(folder)
    await unpackArchive(archive, folder, platform).catch(async (error: unknown) => {
      // Another process may have been first: the same hash is the same content.
      if (!(await isComplete())) throw error
    })
  }
  return { ...server, origin: { ...server.origin, file: manifest } }
}

const dayMs = 86_400_000

/** What a process that was killed while it unpacked left behind. No unpacking takes a day. */
async function sweepDrafts(bundles: string, { files, clock }: Platform): Promise<void> {
  const drafts = (await files.list(bundles)).filter((name) => isDraft(name))
  for (const draft of drafts.map((name) => join(bundles, name))) {
    const found = await files.stat(draft)
    const isOld = found?.kind === 'directory' && clock.now() - found.mtimeMs > dayMs
    // One that cannot be removed is in nobody's way.
    if (isOld) await files.removeFolder(draft).catch(() => undefined)
  }
}

function safeName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]+/g, '-').slice(0, 50)
}

/** Of all it holds: another version of a bundle, even under the same name, is another folder. */
function hashOf({ files, executables }: Archive): string {
  const hash = createHash('sha256')
  for (const name of [...files.keys()].sort()) {
    const content = files.get(name) ?? new Uint8Array()
    hash.update(JSON.stringify([name, content.length, executables.has(name)])).update(content)
  }
  return hash.digest('hex').slice(0, 32)
}
