import type { OtherFile } from '../model/server.ts'
import type { Files } from '../platform/platform.ts'
import { expandPlaces } from '../sources/open.ts'
import { namedOnly, placesOf, sourceIds } from '../sources/places.ts'
import type { SourceId } from '../sources/places.ts'
import type { World } from '../sources/source.ts'

/** These read other clients' files besides their own, so a file is theirs only if it is nobody else's. */
const guests: readonly SourceId[] = [
  'visual-studio',
  'warp',
  'qwen-code',
  'pi',
  'mcporter',
  'kilo-code',
  'oh-my-pi',
]
const owners = [...sourceIds.filter((id) => !guests.includes(id)), ...guests]

const settingsRoles = new Set(['settings', 'managed-settings', 'enablement', 'manifest'])

/** Files of clients whose source is off: found and counted, not opened (C8). */
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
  const found: OtherFile[] = []
  for (const { source, place } of candidates) {
    for (const { path: file } of await expandPlaces([place], files)) {
      if (await files.stat(file)) found.push({ source, file })
    }
  }
  const seen = new Set(usedFiles)
  return found.filter(({ file }) => !seen.has(file) && Boolean(seen.add(file)))
}
