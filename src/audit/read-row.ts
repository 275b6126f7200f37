import { isList, isObject, parseObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { AuditEntry, AuditPlace, AuditRow } from './audit-row.ts'
import { isWritable } from './writable-value.ts'

/**
 * A row from its JSON; `undefined` if it has not the form of a row. A file or a table may have been changed, so every field that
 * is read later is looked at. Whether the row is genuine is for `verifyAudit` to say.
 */
export function readAuditRow(text: string): AuditRow | undefined {
  const value = parseObject(text)
  // Every row is written by `JSON.stringify`. Another text of the same value may show a reader something else: of two keys of
  // one name JSON.parse takes the last, and other programs the first.
  const isPlain = value !== undefined && isWritable(value) && JSON.stringify(value) === text.trim()
  const isRow = isPlain && hasLinks(value) && isEntry(value)
  return isRow ? (value as unknown as AuditRow) : undefined // all of it was looked at
}

export function readPlace(text: string): AuditPlace | undefined {
  const value = parseObject(text)
  if (!value || !isPlace(value)) return undefined
  const { writer, seq, hash } = value as JsonObject & AuditPlace
  return { writer, seq, hash }
}

/** Whether a line that is no row is the beginning of one, as a killed program or a full disk leaves it. */
export function isTornRow(line: string): boolean {
  return rowStart.startsWith(line.slice(0, rowStart.length)) && parseObject(line) === undefined
}

const rowStart = '{"writer":"'

function hasLinks({ writer, seq, prev, after, at, hash }: JsonObject): boolean {
  return (
    [writer, at, hash].every(isText) &&
    Number.isSafeInteger(seq) &&
    (prev === null || isText(prev)) &&
    (after === undefined || isPlace(after))
  )
}

function isEntry(row: JsonObject): boolean {
  const { kind } = row
  return typeof kind === 'string' && Object.hasOwn(forms, kind) && forms[kind as AuditEntry['kind']](row) // a key of the table
}

const forms: { readonly [K in AuditEntry['kind']]: (row: JsonObject) => boolean } = {
  call: ({ by, ref, decision, outcome, ms, argsBytes, resultBytes, ...others }) =>
    isCaller(by) &&
    [ref, outcome].every(isText) &&
    [ms, argsBytes, resultBytes].every(isNumber) &&
    (decision === undefined || isDecision(decision)) &&
    ['conversation', 'agent', 'server', 'tool', 'definition', 'error'].every((key) =>
      isOptionalText(others[key]),
    ),
  gap: ({ lost }) => isNumber(lost),
  end: () => true,
  checkpoint: ({ before, removed, ends }) =>
    isText(before) && isNumber(removed) && isList(ends) && ends.every(isPlace),
}

function isCaller(by: Json | undefined): boolean {
  if (!isObject(by)) return false
  const { surface, user, app, client, key } = by
  return isText(surface) && [user, app, client, key].every(isOptionalText)
}

function isDecision(decision: Json): boolean {
  if (!isObject(decision)) return false
  const { effect, by, layer, answer, question, judged } = decision
  return [effect, by].every(isText) && [layer, answer, question, judged].every(isOptionalText)
}

function isPlace(place: Json): boolean {
  if (!isObject(place)) return false
  const { writer, seq, hash } = place
  return [writer, hash].every(isText) && Number.isSafeInteger(seq)
}

function isText(value: Json | undefined): boolean {
  return typeof value === 'string'
}

function isOptionalText(value: Json | undefined): boolean {
  return value === undefined || typeof value === 'string'
}

function isNumber(value: Json | undefined): boolean {
  return typeof value === 'number'
}
