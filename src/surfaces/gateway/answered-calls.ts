import type { DiscoverOptions } from '../../index.ts'
import type { FindAnswered } from './asked-calls.ts'

/** Looks in the audit trail that all gateways of a team write for calls that were answered at another one. */
export async function findAnswered(
  { cwd, platform }: DiscoverOptions,
  questions: Parameters<FindAnswered>[0],
): ReturnType<FindAnswered> {
  const { openOwnAudit } = await import('../../store.ts')
  await using audit = await openOwnAudit({
    ...(cwd !== undefined && { cwd }),
    ...(platform && { platform }),
  })
  const found = new Set<string>()
  for (const { id, server, askedAt } of questions) {
    const since = new Date(askedAt).toISOString()
    const [row] = await audit.list({ server, question: id, since, limit: 1 })
    if (row) found.add(id)
  }
  return found
}
