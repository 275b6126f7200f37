import type { PlaceProps } from '../../app.tsx'
import { Split } from '../../parts/split.tsx'
import { addresses } from '../../state/addresses.ts'
import { AuditRowView } from './audit-row-view.tsx'
import { AuditTable } from './audit-table.tsx'
import { readAuditFilter, useAudit } from './audit-rows.ts'
import '../../style/audit.css'

/** Who called what, with which decision; and whether the trail is whole. */
export function Audit({ id, query }: PlaceProps) {
  const filter = readAuditFilter(query)
  const trail = useAudit(filter)
  const table = <AuditTable filter={filter} trail={trail} current={id} />
  if (id === undefined) return table
  return (
    <Split
      kind="list"
      list={table}
      detail={<AuditRowView key={id} id={id} known={trail.rows.find((row) => row.id === id)} />}
      back={addresses.auditRows(filter)}
      backLabel="Audit"
      detailLabel="Row of the audit trail"
    />
  )
}
