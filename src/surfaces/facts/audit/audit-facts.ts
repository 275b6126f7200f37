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
  const about = aboutOf(row)
  const tone = row.kind === 'gap' ? 'bad' : 'dim'
  return { ...place, by: '', about: escapeLine(about), decision: '', outcome: '', tone }
}

function aboutOf(row: Exclude<AuditRow, { readonly kind: 'call' }>): string {
  if (row.kind === 'end') return 'the writer was closed'
  return row.kind === 'gap'
    ? `${countOf(row.lost, 'row')} could not be written`
    : `${countOf(row.removed, 'row')} from before ${row.before.slice(0, 10)} removed`
}

/** What a check of all rows found, in words. Rows that could not be written are told, but nothing was done to the trail. */
export function describeVerification(found: AuditVerification): AuditCheck {
  const { rows, writers, head, problems, open = [] } = found
  return {
    isWhole: isWhole(found),
    verdict: `${countOf(rows, 'row')} of ${countOf(writers, 'writer')}: ${verdictOf(found)}`,
    rows,
    writers,
    ...(head && { head: { hash: escapeLine(head.hash), at: escapeLine(head.at) } }),
    ...(open.length > 0 && {
      open: open.map(({ writer, seq, at }) => ({ writer: escapeLine(writer), seq, at: escapeLine(at) })),
    }),
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
  return wholeVerdictOf(found) + openNote(found)
}

/** How many of the last rows are named. */
const maxOpenShown = 3

function openNote({ open = [] }: AuditVerification): string {
  if (open.length === 0) return ''
  const last = open.map(({ at }) => at).sort()
  const shown = last.slice(-maxOpenShown).map((at) => escapeLine(at.slice(0, 19).replace('T', ' ')))
  const [have, they] = open.length === 1 ? ['has', 'it'] : ['have', 'they']
  return ` ${countOf(open.length, 'writer')} ${have} no closing row (last row: ${shown.join(', ')}): ${they} still ${open.length === 1 ? 'runs' : 'run'}, or ${open.length === 1 ? 'was' : 'were'} killed and may have lost the last calls.`
}

function wholeVerdictOf(found: AuditVerification): string {
  const { rows, pruned, problems } = found
  const removal = pruned
    ? ` "audit --prune" removed ${countOf(pruned.rows, 'row')} from before ${escapeLine(pruned.before.slice(0, 10))}, as a checkpoint says: check that it was you.`
    : ''
  if (!isWhole(found)) return `the trail is not whole.${removal}`
  if (problems.length > 0) return `no row that is left was changed, but some were never written.${removal}`
  if (rows === 0)
    return 'there is no row: no call was recorded yet, or all rows were removed. Only a hash that you kept tells which (--head).'
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
