import type { LockedOffers } from '../../acceptances/acceptance.ts'
import { readProgram } from '../../config/project-lock.ts'
import { admittedOffers } from '../../lock-file/locked-offers.ts'
import type { LockState } from '../../model/locked-server.ts'
import type { Server } from '../../model/server.ts'
import type { HostContext } from '../host-context.ts'

/** What the lock file of its project admits of a server, by what the server runs now. */
export function lockedOffersOf(
  server: Server,
  state: LockState,
  { platform, options }: Pick<HostContext, 'platform' | 'options'>,
): Promise<LockedOffers> {
  const { trust: _trust, ...discover } = options
  return admittedOffers(
    server.name,
    state,
    async () => (await readProgram(server, platform, discover)).locked,
  )
}
