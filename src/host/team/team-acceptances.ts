import type { Acceptance } from '../../acceptances/acceptance.ts'
import type {
  AcceptanceOwner,
  AcceptanceReading,
  AcceptanceStore,
} from '../../acceptances/acceptance-store.ts'
import { parseAcceptance } from '../../acceptances/acceptance-text.ts'
import { carryOver, toStorableText } from '../../acceptances/storable-acceptance.ts'
import { HostError } from '../../model/error.ts'
import type { AcceptanceText } from '../../store/team/team-parts.ts'
import type { TeamStore } from './team-store.ts'

/**
 * Acceptances in the database of a team: a change that was accepted on one machine is in force on all of them. While the
 * database is away, what was read last counts. Of a server that was never read, everything is held: to take it for new would
 * accept whatever it offers now.
 */
export function createTeamAcceptances(
  team: TeamStore,
  isStorable: (text: string) => boolean,
): AcceptanceStore {
  const known = new Map<string, AcceptanceReading>()
  const remember = (owner: AcceptanceOwner, reading: AcceptanceReading) => {
    known.set(`${owner.key} ${owner.account}`, reading)
    return reading
  }
  return {
    async read(owner) {
      try {
        const { acceptances } = await team.get()
        return remember(owner, toReading(await acceptances.read(owner), owner))
      } catch (error) {
        return known.get(`${owner.key} ${owner.account}`) ?? unreachable(error)
      }
    },
    async change(owner, change) {
      const { acceptances } = await team.get()
      let changed: Acceptance | undefined
      await acceptances.change(owner, (found) => {
        const current = toReading(found, owner)
        if (current.kind === 'damaged')
          throw new HostError('store.damaged', { file: 'acceptances' }, current.problem.message)
        changed = change(current.kind === 'known' ? current.acceptance : undefined)
        return toStorableText(changed, owner, isStorable)
      })
      if (!changed) throw new Error('the change of an acceptance did not run')
      remember(owner, { kind: 'known', acceptance: changed })
      return changed
    },
  }
}

function toReading(found: AcceptanceText | undefined, owner: AcceptanceOwner): AcceptanceReading {
  if (!found) return { kind: 'none' }
  const acceptance = parseAcceptance(found.text, owner)
  if (!acceptance) return damaged('it is not as it was written', 'Remove its row in the table "acceptances".')
  return { kind: 'known', acceptance: found.isEarlier ? carryOver(acceptance) : acceptance }
}

function unreachable(error: unknown): AcceptanceReading {
  const why = error instanceof Error ? error.message : String(error)
  return damaged(why.replace(/\.$/, ''), 'Check that PostgreSQL runs; it is tried again with the next list.')
}

function damaged(why: string, hint: string): AcceptanceReading {
  return {
    kind: 'damaged',
    problem: {
      code: 'store-damaged',
      severity: 'error',
      message: `What the team accepted of this server cannot be read: ${why}. Everything it offers is held.`,
      hint,
    },
  }
}
