import type { Route } from './route.ts'
import type { TypeOf } from './schema-builder.ts'
import { described, flag, list, number, object, oneOf, text, texts, whole } from './schema-builder.ts'

/** A row of the audit trail in words. */
export const auditFacts = object({
  id: described('The writer and the number of the row.', text),
  kind: oneOf('call', 'gap', 'checkpoint', 'end'),
  at: described('ISO 8601.', text),
  by: described('The surface, and the user, client or key.', text),
  about: described('The ref of the tool, or what else the row records.', text),
  decision: text,
  outcome: text,
  tone: oneOf('ok', 'dim', 'warn', 'bad'),
  'ms?': number,
  details: described('What else the row holds.', list(object({ name: text, value: text }))),
})
export type AuditFacts = TypeOf<typeof auditFacts>

/** What a check of the whole trail found. */
export const auditCheck = object({
  isWhole: flag,
  verdict: text,
  rows: whole,
  writers: whole,
  'head?': described(
    'The newest row. Kept elsewhere, its hash shows later whether the end of the trail was cut off.',
    object({ hash: text, at: text }),
  ),
  'open?': described(
    'Writers without a closing row: their program still runs, or was killed and may have lost its last rows.',
    list(object({ writer: text, seq: whole, at: text })),
  ),
  problems: list(
    object({ kind: oneOf('changed', 'missing', 'cut', 'lost'), message: text, 'writer?': text }),
  ),
})
export type AuditCheck = TypeOf<typeof auditCheck>

export const auditRoutes = {
  'GET /api/audit': {
    summary: 'Who called what, with which decision; the newest first.',
    command: 'plugboard audit',
    query: object({
      'since?': described('An age such as `2d`, or a date.', text),
      'server?': text,
      'outcome?': oneOf('done', 'failed', 'denied', 'cancelled', 'refused'),
      'row?': described('Only the row with this id.', text),
      'before?': described('`next` of the answer before.', text),
      'limit?': text,
    }),
    answer: object({
      rows: list(auditFacts),
      'next?': described('Absent: these are the oldest.', text),
      notes: described('What of the person’s store is not used, and why.', texts),
    }),
  },
  'GET /api/audit/verify': {
    summary: 'Checks that no row of the audit trail was changed or removed.',
    command: 'plugboard audit --verify',
    query: object({ 'head?': described('A hash that must still be there.', text) }),
    answer: auditCheck,
  },
} as const satisfies Readonly<Record<string, Route>>
