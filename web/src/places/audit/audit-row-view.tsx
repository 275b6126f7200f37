import type { AuditFacts } from '../../../../src/client.ts'
import { Duration } from '../../parts/amounts.tsx'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Empty, faultText, Loading } from '../../parts/messages.tsx'
import { addresses } from '../../state/addresses.ts'
import { useAnswer } from '../../state/answers.ts'
import { usePageTitle } from '../../state/page-title.ts'
import { Outcome } from './audit-table.tsx'

interface AuditRowProps {
  readonly id: string
  /** The row, if the list has it. */
  readonly known: AuditFacts | undefined
}

/** Everything that one row holds. */
export function AuditRowView({ id, known }: AuditRowProps) {
  const answer = useAnswer('GET /api/audit', { query: { row: id } }, { isOff: known !== undefined })
  const row = known ?? answer.value?.rows[0]
  usePageTitle(row?.about ?? 'Row', 'Audit')
  if (!row) {
    if (answer.isLoading && !answer.value) return <Loading what="Row" />
    const says = answer.error ? faultText(answer.error) : 'There is no such row. It may have been pruned.'
    return (
      <Empty title="Row" says={says}>
        <Button to={addresses.audit}>All rows</Button>
      </Empty>
    )
  }
  return (
    <article class="audit-detail">
      <h1 class={row.kind === 'call' ? 'mono' : ''}>{row.about}</h1>
      <dl>
        <Fact name="outcome">
          <Outcome row={row} />
        </Fact>
        {row.decision !== '' && <Fact name="decision">{row.decision}</Fact>}
        {row.by !== '' && <Fact name="by">{row.by}</Fact>}
        <Fact name="ended">
          <time dateTime={row.at}>{row.at}</time>
        </Fact>
        {row.ms !== undefined && (
          <Fact name="took">
            <Duration ms={row.ms} />
          </Fact>
        )}
        {row.details.map(({ name, value }) => (
          <Fact key={name} name={name}>
            <span class="mono">{value}</span>
            {/hash|definition/.test(name) && <CopyButton text={value} label={`Copy ${name}`} />}
          </Fact>
        ))}
      </dl>
    </article>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) {
  return (
    <div>
      <dt class="dim">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
