import type { Diagnostic } from '../model/diagnostic.ts'
import type { MemoryRows } from '../model/memory.ts'
import type { Platform } from '../platform/platform.ts'
import { memoryFile, readMemory } from './file-memory.ts'
import type { MemoryState } from './memory-state.ts'

/**
 * Gives what the memory file holds to its new home, then renames the file. The lock, which every writer of the file takes,
 * is held over both: nothing is taken twice, so an approval that was withdrawn in the new home does not come back. A damaged
 * file stays where it is, and only its switches are taken: they restrict.
 */
export async function takeMemoryFile(
  platform: Platform,
  take: (rows: MemoryRows) => Promise<void>,
): Promise<Diagnostic | undefined> {
  const { files, lock } = platform
  const file = memoryFile(platform)
  if (!(await files.stat(file))) return undefined
  return lock(await files.realPath(file), async () => {
    const { state, damage, seen } = await readMemory(platform)
    if (seen === 'none') return undefined
    await take(toRows(state))
    if (!damage) await files.move(file, `${file}.taken-over`)
    return damage
  })
}

function toRows({ conversations, approvals }: MemoryState): MemoryRows {
  const switches = conversations.flatMap(({ id, at, switches: all }) =>
    [...all].map(([server, on]) => ({ conversation: id, server, on, at })),
  )
  return { switches, approvals }
}
