import { join, sep } from 'node:path'
import type { Json } from '../../model/json.ts'
import type { Platform } from '../../platform/platform.ts'
import { expandPlaces } from '../../sources/open-files.ts'
import { namedOnly, placesOf, sourceIds } from '../../sources/places.ts'
import type { World } from '../../sources/source.ts'
import { bundlesDirectory } from './bundle-folders.ts'

/** Removes the bundles an entry ran from, once no file of any client speaks of them; answers those that stay against our will. */
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

/** Their names as `placeBundle` makes them, and nothing else that a path could say. */
function bundlesIn(value: Json, folder: string): readonly string[] {
  const found = new Set<string>()
  const look = (item: Json): void => {
    if (typeof item === 'object' && item !== null) Object.values(item).forEach(look)
    if (typeof item !== 'string') return
    for (const rest of item.split(`${folder}${sep}`).slice(1)) {
      const [, name] = /^([\w-]{1,50}-[0-9a-f]{32})(?![\w-])/.exec(rest) ?? []
      if (name !== undefined) found.add(name)
    }
  }
  look(value)
  return [...found]
}

/** Also of clients that are off, since servers are copied to them with their paths. */
async function textsOfAll({ files }: Platform, world: World): Promise<readonly string[]> {
  const places = sourceIds.filter((id) => !namedOnly.has(id)).flatMap((id) => placesOf(id, world))
  const paths = new Set((await expandPlaces(places, files)).map(({ path }) => path))
  const found = await Promise.all([...paths].map((path) => files.readText(path)))
  return found.flatMap((each) => (each.kind === 'text' ? [each.text] : []))
}
