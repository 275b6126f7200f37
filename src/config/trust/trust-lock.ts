import { compareProgram, isBreach } from '../../lock-file/lock-differences.ts'
import type { Server } from '../../model/server.ts'
import type { Platform } from '../../platform/platform.ts'
import type { World } from '../../sources/source.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { readLockStates } from '../lock-states.ts'
import { readProgram } from '../project-lock.ts'
import type { TrustRequest } from './request-trust.ts'

export interface LockContext {
  readonly platform: Platform
  readonly world: World
  readonly options: DiscoverOptions
}

/** Whether the entry, and what it runs, are as the lock file of its project has them. */
export async function trustLock(
  server: Server,
  { platform, world, options }: LockContext,
): Promise<Pick<TrustRequest, 'lock' | 'lockDifferences'>> {
  const { locks } = await readLockStates([server], { files: platform.files, world })
  const lock = locks.get(server)
  if (!lock) return {}
  if (lock.kind !== 'locked') return { lock }
  const { locked } = await readProgram(server, platform, options)
  const differences = compareProgram(server.name, lock.locked, locked)
  return { lock, lockDifferences: differences.filter((each) => isBreach(each)) }
}
