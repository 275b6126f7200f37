import { HostError } from '../../../index.ts'
import type { OwnAudit } from '../../../store.ts'
import { describeVerification, toAuditFacts } from '../../facts/audit/audit-facts.ts'
import { readMark, readRowId, writeMark } from '../../facts/audit/audit-mark.ts'
import { parseSince } from '../../facts/audit/audit-query.ts'
import { escapeLine } from '../../terminal/escape.ts'
import type { Handlers } from '../handler.ts'
import { readCount } from '../read-count.ts'
import type { ServeContext } from '../serve-context.ts'

const usualLimit = 100
const maxLimit = 500

/** The person's own audit trail, as `plugboard audit` shows it. */
export const auditHandlers = {
  'GET /api/audit': async (context, { query = {} }) => {
    const limit = readCount(query.limit, usualLimit, { name: 'limit', least: 1, most: maxLimit })
    const { since, server, outcome, row, before } = query
    const which = {
      limit: limit + 1,
      ...(since !== undefined && { since: checkSince(since) }),
      ...(server !== undefined && { server }),
      ...(outcome !== undefined && { outcome }),
      ...(row !== undefined && { row: readRowId(row) ?? refuse('"row" is the id of a row.') }),
      ...(before !== undefined && { before: readMark(before) ?? refuse('"before" is "next" of an answer.') }),
    }
    const trail = await openTrail(context)
    const found = await trail.list(which)
    const rows = found.slice(0, limit)
    const last = rows.at(-1)
    return {
      rows: rows.map(toAuditFacts),
      ...(found.length > limit && last && { next: writeMark(last) }),
      notes: trail.problems.flatMap(({ code, message, hint = '' }) =>
        isTold(code) ? escapeLine(`${message} ${hint}`.trim()) : [],
      ),
    }
  },

  'GET /api/audit/verify': async (context, { query = {} }) =>
    describeVerification(await (await openTrail(context)).verify({ head: query.head })),
} satisfies Partial<Handlers>

/** Calls of this process that just ended are in it. The store belongs to `serve`, and stays open. */
async function openTrail({ host, store, discover, cwd }: ServeContext): Promise<OwnAudit> {
  await host.flushAudit()
  const { openOwnAudit } = await import('../../../store.ts')
  const { platform } = discover
  return openOwnAudit({ cwd, opened: await store(), ...(platform && { platform }) })
}

/** Without a driver the trail is in files, which is no problem of the trail. */
function isTold(code: string): boolean {
  return code !== 'directory-in-project' && code !== 'store-without-driver'
}

function checkSince(text: string): string {
  try {
    return parseSince(text)
  } catch (error) {
    return refuse(`"since": ${error instanceof Error ? error.message : String(error)}.`)
  }
}

function refuse(message: string): never {
  throw new HostError('usage', {}, message)
}
