import { countWaiting } from '../../facts/definitions/held-facts.ts'
import type { Area } from '../area.ts'
import { auditHandlers } from './audit-handlers.ts'
import { followHeld } from './follow-held.ts'
import { lockHandlers } from './lock-handlers.ts'

export const safetyArea: Area = {
  handlers: { ...lockHandlers, ...auditHandlers },
  async counts({ host }) {
    await host.ready({ from: 'disk' })
    return { held: [...countWaiting(host).values()].reduce((sum, each) => sum + each, 0) }
  },
  follow: followHeld,
}
