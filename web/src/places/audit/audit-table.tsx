import type { AuditFacts } from '../../../../src/client.ts'
import { Clock, Duration, plural } from '../../parts/amounts.tsx'
import { Button } from '../../parts/button.tsx'
import { Choice } from '../../parts/choice.tsx'
import { List } from '../../parts/list.tsx'
import { ListHead } from '../../parts/list-head.tsx'
import { Empty, ErrorLine, Loading } from '../../parts/messages.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { addresses, go } from '../../state/addresses.ts'
import { servers } from '../../state/page-state.ts'
import { usePageTitle } from '../../state/page-title.ts'
import type { useAudit } from './audit-rows.ts'
import { readAuditFilter } from './audit-rows.ts'
import { VerifyForm, VerifyResult, useVerify } from './verify-trail.tsx'

interface AuditTableProps {
  readonly filter: Readonly<Record<string, string>>
  readonly trail: ReturnType<typeof useAudit>
  /** The row that is open; the table is narrow beside it. */
  readonly current: string | undefined
}

export function AuditTable({ filter, trail, current }: AuditTableProps) {
  usePageTitle(...(current === undefined ? ['Audit'] : []))
  const { rows, notes, hasMore, more, isLoading, error } = trail
  const check = useVerify()
  const isNarrow = current !== undefined
  const isFiltered = Object.keys(filter).length > 0
  const set = (name: string) => (value: string) =>
    go(addresses.auditRows(readAuditFilter({ ...filter, [name]: value })), { replace: true })
  return (
    <div class={isNarrow ? 'audit' : 'place audit'}>
      <ListHead title="Audit" hasDetail={isNarrow}>
        {!isNarrow && (
          <>
            <Choice
              label="Time"
              all="any time"
              value={filter['since']}
              values={times}
              onChoose={set('since')}
            />
            <Choice
              label="Server"
              all="any server"
              value={filter['server']}
              values={servers.value.map(({ name }) => name)}
              onChoose={set('server')}
            />
            <Choice
              label="Outcome"
              all="any outcome"
              value={filter['outcome']}
              values={outcomes}
              onChoose={set('outcome')}
            />
            <VerifyForm check={check} />
          </>
        )}
      </ListHead>
      {!isNarrow && <VerifyResult check={check} />}
      <ErrorLine error={error} />
      {notes.map((note) => (
        <p key={note} class="audit-note">
          {note}
        </p>
      ))}
      {isLoading && <Loading what="Rows" />}
      {!isLoading && !error && rows.length === 0 && (
        <Empty
          says={isFiltered ? 'No row fits this filter.' : 'No call was recorded yet.'}
          command="plugboard audit"
        >
          {isFiltered ? (
            <Button to={addresses.audit}>Show all</Button>
          ) : (
            <Button to={addresses.tools}>Run a tool</Button>
          )}
        </Empty>
      )}
      {rows.length > 0 && (
        <List
          class="audit-list"
          label={`${plural(rows.length, 'row')}, the newest first`}
          items={rows}
          keyOf={({ id }) => id}
          to={({ id }) => addresses.auditRow(id, filter)}
          current={current}
          rowHeight={isNarrow ? 46 : 28}
          order={JSON.stringify(filter)}
        >
          {(row) => (isNarrow ? <NarrowRow row={row} /> : <WideRow row={row} />)}
        </List>
      )}
      {hasMore && (
        <p class="audit-more">
          <Button action={more}>Earlier rows</Button>
        </p>
      )}
    </div>
  )
}

const times = [
  ['1h', 'last hour'],
  ['1d', 'last day'],
  ['7d', 'last 7 days'],
  ['30d', 'last 30 days'],
] as const
const outcomes = ['done', 'failed', 'denied', 'cancelled', 'refused'] as const

function WideRow({ row }: { readonly row: AuditFacts }) {
  return (
    <span class="audit-row">
      <span class="dim">
        <When at={row.at} />
      </span>
      <span class="cut dim">{row.by}</span>
      <span class={`cut${row.kind === 'call' ? ' mono' : ''}`}>{row.about}</span>
      <span class="cut">{row.decision}</span>
      <span class="cut">
        <Outcome row={row} />
      </span>
      <span class="audit-ms">
        <Duration ms={row.ms} />
      </span>
    </span>
  )
}

function NarrowRow({ row }: { readonly row: AuditFacts }) {
  return (
    <span class="audit-narrow">
      <span class="cut mono">{row.about}</span>
      <span class="dim">
        <When at={row.at} />
      </span>
      <span class="cut">
        <Outcome row={row} />
      </span>
      <span class="cut dim">{row.by}</span>
    </span>
  )
}

/** The time of day, and before today the day too. */
export function When({ at }: { readonly at: string }) {
  const moment = new Date(at)
  if (Number.isNaN(moment.getTime())) return <>{at}</>
  const isToday = moment.toDateString() === new Date().toDateString()
  return (
    <>
      {!isToday && `${moment.toLocaleDateString(undefined, { day: 'numeric', month: 'short' })} `}
      <Clock at={moment.getTime()} />
    </>
  )
}

export function Outcome({ row: { kind, tone, outcome } }: { readonly row: AuditFacts }) {
  return <StateMark state={{ tone, word: kind === 'call' ? outcome : kind }} />
}
