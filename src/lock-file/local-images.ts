import { join } from 'node:path'
import { isList, isObject, isStringArray } from '../model/json.ts'
import type { Json } from '../model/json.ts'
import type { StartedPackage } from '../model/launch/started-package.ts'
import type { Env, Files } from '../platform/platform.ts'

interface ImageContext {
  readonly env: Env
  readonly home: string
  readonly uid?: number
  readonly files: Pick<Files, 'list' | 'readText'>
}

const maxBytes = 16 * 1024 * 1024

/** The digest of the image that an engine would start, from the engine's own files; undefined if they cannot be read. */
export async function localDigest(
  image: Pick<StartedPackage, 'runner' | 'spec'>,
  context: ImageContext,
): Promise<string | undefined> {
  const names = fullNames(image.spec)
  const digests = new Set(
    image.runner === 'podman' ? await podmanDigests(names, context) : await dockerDigests(names, context),
  )
  return digests.size === 1 ? [...digests][0] : undefined
}

/** `server` is `docker.io/library/server:latest`, or an image that was built here. */
function fullNames(spec: string): readonly string[] {
  const tagged = /:[^/]+$/.test(spec) ? spec : `${spec}:latest`
  const first = tagged.split('/')[0] ?? ''
  const hasHost = tagged.includes('/') && (/[.:]/.test(first) || first === 'localhost')
  if (hasHost) return [tagged]
  const path = tagged.includes('/') ? tagged : `library/${tagged}`
  return [tagged, `docker.io/${path}`, `localhost/${tagged}`]
}

async function podmanDigests(
  names: readonly string[],
  { env, home, uid, files }: ImageContext,
): Promise<readonly string[]> {
  const data = env['XDG_DATA_HOME'] ?? join(home, '.local', 'share')
  const storage = uid === 0 ? '/var/lib/containers/storage' : join(data, 'containers', 'storage')
  const found: string[] = []
  for (const folder of await files.list(storage)) {
    if (!folder.endsWith('-images')) continue
    const images = await readValue(join(storage, folder, 'images.json'), files)
    for (const image of isList(images) ? images : []) {
      if (!isObject(image) || typeof image['digest'] !== 'string') continue
      const own = image['names']
      if (isStringArray(own) && own.some((name) => names.includes(name))) found.push(image['digest'])
    }
  }
  return found
}

/** Docker keeps the images by their own ids; a digest is another name of the same image. */
async function dockerDigests(
  names: readonly string[],
  { files }: Pick<ImageContext, 'files'>,
): Promise<readonly string[]> {
  const root = '/var/lib/docker/image'
  const found: string[] = []
  for (const driver of await files.list(root)) {
    const index = await readValue(join(root, driver, 'repositories.json'), files)
    const repositories = isObject(index) ? index['Repositories'] : undefined
    for (const repository of isObject(repositories) ? Object.values(repositories) : []) {
      if (!isObject(repository)) continue
      const entries = Object.entries(repository)
      const id = entries.find(([name]) => names.includes(name))?.[1]
      const digest = entries.find(([name, each]) => each === id && name.includes('@sha256:'))?.[0]
      if (id !== undefined && digest !== undefined) found.push(digest.slice(digest.indexOf('@') + 1))
    }
  }
  return found
}

async function readValue(path: string, files: Pick<Files, 'readText'>): Promise<Json | undefined> {
  const found = await files.readText(path, { maxBytes })
  if (found.kind !== 'text') return undefined
  try {
    return JSON.parse(found.text) as Json // JSON.parse gives nothing else
  } catch {
    return undefined
  }
}
