import type { ListAudit } from '../../../store.ts'

type Mark = NonNullable<ListAudit['before']>

/** The end of a page of rows as a word, for the request of the next one. */
export function writeMark({ at, writer, seq }: Mark): string {
  return `${at}~${writer}~${seq}`
}

export function readMark(text: string): Mark | undefined {
  const [, at = '', writer = '', seq = ''] = /^([\w:.-]{1,40})~(\w{1,64})~(\d{1,15})$/.exec(text) ?? []
  return seq === '' ? undefined : { at, writer, seq: Number(seq) }
}

/** The row with this id. */
export function readRowId(text: string): NonNullable<ListAudit['row']> | undefined {
  const [, writer = '', seq = ''] = /^(\w{1,64}):(\d{1,15})$/.exec(text) ?? []
  return seq === '' ? undefined : { writer, seq: Number(seq) }
}
