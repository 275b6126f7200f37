import type { AuditRow, AuditVerification } from '../../../store.ts'
import type { AuditCheck, AuditFacts } from '../../api/audit-routes.ts'
import { escapeLine } from '../../terminal/escape.ts'
import { countOf } from '../count-word.ts'

/** A row of the audit trail in words; terminal and page draw the same. */
export function toAuditFacts(row: AuditRow): AuditFacts {
  const { writer, seq, kind, at } = row
  const place = { id: escapeLine(`${writer}:${seq}`), kind, at: escapeLine(at), details: detailsOf(row) }
  if (row.kind === 'call')
    return {
      ...place,
      by: escapeLine(callerOf(row.by)),
      about: escapeLine(row.ref),
      decision: row.decision ? escapeLine(decisionOf(row.decision)) : '',
      outcome: escapeLine(row.error === undefined ? row.outcome : `${row.outcome} (${row.error})`),
      tone: tones[row.outcome] ?? 'warn',
      ms: row.ms,
    }
  const about =
    row.kind === 'gap'
      ? `${countOf(row.lost, 'row')} could not be written`
      : `${countOf(row.removed, 'row')} from before ${row.before.slice(0, 10)} removed`
  const tone = row.kind === 'gap' ? 'bad' : 'dim'
  return { ...place, by: '', about: escapeLine(about), decision: '', outcome: '', tone }
}

/** What a check of all rows found, in words. Rows that could not be written are told, but nothing was done to the trail. */
export function describeVerification(found: AuditVerification): AuditCheck {
  const { rows, writers, head, problems } = found
  return {
    isWhole: isWhole(found),
    verdict: `${countOf(rows, 'row')} of ${countOf(writers, 'writer')}: ${verdictOf(found)}`,
    rows,
    writers,
    ...(head && { head: { hash: escapeLine(head.hash), at: escapeLine(head.at) } }),
    problems: problems.map(({ kind, writer, message }) => ({
      kind,
      message: escapeLine(message),
      ...(writer !== '' && { writer: escapeLine(writer) }),
    })),
  }
}

function isWhole({ problems }: AuditVerification): boolean {
  return problems.every(({ kind }) => kind === 'lost')
}

/** Says no more than was checked: a pruned row was removed, and a line that was cut off may have been any row. */
function verdictOf(found: AuditVerification): string {
  const { pruned, problems } = found
  const removal = pruned
    ? ` "audit --prune" removed ${countOf(pruned.rows, 'row')} from before ${escapeLine(pruned.before.slice(0, 10))}, as a checkpoint says: check that it was you.`
    : ''
  if (!isWhole(found)) return `the trail is not whole.${removal}`
  if (problems.length > 0) return `no row that is left was changed, but some were never written.${removal}`
  return pruned ? `no row that is left was changed.${removal}` : 'nothing was changed or removed.'
}

type RecordedCall = Extract<AuditRow, { readonly kind: 'call' }>

/** A file may have been changed: an outcome that is none of these is drawn as a warning. */
const tones: Readonly<Record<string, AuditFacts['tone']>> = {
  done: 'ok',
  failed: 'bad',
  denied: 'bad',
  cancelled: 'dim',
  refused: 'warn',
}

function callerOf({ surface, user, app, client, key }: RecordedCall['by']): string {
  if (app !== undefined) return `${surface} of ${app}`
  const who = client ?? key ?? user
  return who === undefined ? surface : `${surface} ${who}`
}

/** What was decided, and by what: a person, a rule of a layer, the guard. */
function decisionOf({ effect, by, layer, answer }: NonNullable<RecordedCall['decision']>): string {
  const said = answer ?? (effect === 'ask' ? 'not answered' : effect)
  return by === 'default' ? said : `${said} (${layer === undefined ? by : `${layer} ${by}`})`
}

/** What else a row holds, name by name. */
function detailsOf(row: AuditRow): AuditFacts['details'] {
  const { writer, seq, prev, hash } = row
  const values: Readonly<Record<string, unknown>> = {
    ...(row.kind === 'call' && {
      user: row.by.app === undefined ? undefined : row.by.user,
      conversation: row.conversation,
      agent: row.agent,
      definition: row.definition,
      'argument types': row.shape,
      arguments: row.args,
      'argument bytes': row.argsBytes,
      'result bytes': row.resultBytes,
    }),
    writer,
    row: seq,
    hash,
    'previous hash': prev ?? undefined,
  }
  return Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: escapeLine(textOf(value)) }],
  )
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
