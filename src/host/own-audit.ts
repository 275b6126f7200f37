import { believedPlatformOf } from '../config/discover-options.ts'
import { redactText } from '../config/redact-text.ts'
import { ChainedTrail } from '../audit/audit-trail.ts'
import { planPrune } from '../audit/checkpoint.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import type { AuditVerification, VerifyOptions } from '../audit/verify-audit.ts'
import type { AuditCheckpoint, AuditRow, ReadRows } from '../audit/audit-row.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { AuditMark, ListAudit } from '../store/stored-audit.ts'
import { openOwnStore } from './own-store.ts'
import type { OwnStore, OwnStoreOptions } from './own-store.ts'
import { ownAuditFiles } from './own-trail.ts'

/** The person's own audit trail, for reading: in their store, or in files where there is none. */
export interface OwnAudit extends AsyncDisposable {
  /** The newest first. */
  list(options?: ListAudit): Promise<readonly AuditRow[]>
  verify(options?: VerifyOptions): Promise<AuditVerification>
  /** Removes rows that ended before a time, and records what must be known of them to verify the rest. */
  prune(before: string): Promise<AuditCheckpoint>
  /** What `prune` would remove. */
  countOld(before: string): Promise<number>
  /** What of the person's store is not used, and why. */
  readonly problems: readonly Diagnostic[]
  close(): Promise<void>
}

/**
 * Opens the person's own audit trail. Rows that programs without a store have written are taken into the store first.
 *
 * @example
 * const audit = await openOwnAudit()
 * const { problems } = await audit.verify({ head: 'sha256:…' })
 */
export async function openOwnAudit(
  options: Pick<OwnStoreOptions, 'platform' | 'cwd'> & {
    /** A store that is open, which stays open. */
    readonly opened?: OwnStore
  } = {},
): Promise<OwnAudit> {
  const { opened, ...own } = options
  const { platform } = await believedPlatformOf(own)
  const { store, takeAudit, problems } = opened ?? (await openOwnStore({ ...own, mayCreate: false }))
  const files = ownAuditFiles(platform)
  await takeAudit?.()
  const read: ReadRows = store ? () => store.audit.read() : () => readFiles()
  async function* readFiles() {
    yield* (await files.read()).rows
  }
  const checkpoint = (entry: AuditCheckpoint) =>
    new ChainedTrail({ sink: files, clock: platform.clock, redact: redactText }).checkpoint(entry)
  const close = async () => {
    if (!opened) await store?.close()
  }
  return {
    problems,
    async list(which = {}) {
      if (store) return store.audit.list(which)
      const { since = '', server, outcome, question, before, row: one, limit = 100 } = which
      const isMeant = (row: AuditRow) =>
        row.kind !== 'end' &&
        row.at >= since &&
        (!before || newestFirst(row, before) > 0) &&
        (!one || (row.writer === one.writer && row.seq === one.seq)) &&
        (server === undefined || (row.kind === 'call' && row.server === server)) &&
        (outcome === undefined || (row.kind === 'call' && row.outcome === outcome)) &&
        (question === undefined || (row.kind === 'call' && row.decision?.question === question))
      const { rows } = await files.read()
      return rows.filter(isMeant).sort(newestFirst).slice(0, limit)
    },
    async verify(given) {
      // Lines that are no rows stay in files where there is a store, too.
      const { unreadable, torn } = await files.read()
      return verifyAudit(read, {
        unreadable,
        torn,
        now: platform.clock.now(),
        known: await files.head(),
        ...given,
      })
    },
    async countOld(before) {
      return (await planPrune(read, before, undefined)).checkpoint.removed
    },
    async prune(before) {
      if (!store) return files.prune(before, checkpoint)
      const plan = await planPrune(read, before, await files.newest())
      if (plan.upTo.size === 0) return plan.checkpoint
      await checkpoint(plan.checkpoint)
      await takeAudit?.()
      await store.audit.remove(plan.upTo)
      return plan.checkpoint
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** The same order as in the store. */
function newestFirst(one: AuditMark, other: AuditMark): number {
  if (one.at !== other.at) return one.at < other.at ? 1 : -1
  if (one.writer !== other.writer) return one.writer < other.writer ? -1 : 1
  return other.seq - one.seq
}
