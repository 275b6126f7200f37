import type { OtherFile } from '../../model/server.ts'
import type { Files } from '../../platform/platform.ts'
import { expandPlaces } from '../open-files.ts'
import { namedOnly, placesOf, sourceIds } from '../places.ts'
import type { SourceId } from '../places.ts'
import type { World } from '../source.ts'

/** Clients that also read other clients' files. A file is attributed to them only if no other client owns it. */
const guests: readonly SourceId[] = [
  'dispatch',
  'visual-studio',
  'warp',
  'qwen-code',
  'pi',
  'mcporter',
  'kilo-code',
  'oh-my-pi',
]
/** If several clients read a file, the first of these owns it. */
export const owners: readonly SourceId[] = [...sourceIds.filter((id) => !guests.includes(id)), ...guests]

export const settingsRoles: ReadonlySet<string> = new Set([
  'settings',
  'managed-settings',
  'enablement',
  'manifest',
])

/** Finds the files of clients whose source is off, without opening them (C8). */
export async function findOthers(
  used: ReadonlySet<SourceId>,
  usedFiles: ReadonlySet<string>,
  world: World,
  files: Files,
): Promise<readonly OtherFile[]> {
  const unused = owners.filter((id) => !used.has(id) && !namedOnly.has(id) && id !== 'sep-2633')
  const candidates = unused.flatMap((source) =>
    placesOf(source, { ...world, config: undefined })
      .filter(({ role }) => !settingsRoles.has(role))
      .map((place) => ({ source, place })),
  )
  // A project is usually below the home directory: the innermost folder has to be the first match.
  const mayExist = createExistenceHint([...world.dirs, `${world.home}/.config`, world.home], files)
  const found: OtherFile[] = []
  for (const { source, place } of candidates) {
    if (!(await mayExist(place.path))) continue
    for (const { path: file } of await expandPlaces([place], files)) {
      if (await files.stat(file)) found.push({ source, file })
    }
  }
  const seen = new Set(usedFiles)
  return found.filter(({ file }) => !seen.has(file) && Boolean(seen.add(file)))
}

/** A check whether a path may exist, by listing its top folder once: this avoids dozens of `stat` calls. */
function createExistenceHint(folders: readonly string[], files: Files): (path: string) => Promise<boolean> {
  const listed = new Map<string, Promise<ReadonlySet<string>>>()
  return async (path) => {
    const folder = folders.find((candidate) => path.startsWith(`${candidate}/`))
    if (folder === undefined) return true
    const names = listed.get(folder) ?? files.list(folder).then((all) => new Set(all))
    listed.set(folder, names)
    const [first = ''] = path.slice(folder.length + 1).split('/', 1)
    return (await names).has(first)
  }
}
