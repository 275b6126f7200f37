import type { PlaceProps } from '../../app.tsx'
import { Split } from '../../parts/split.tsx'
import { CallView } from './call-view.tsx'
import { CallTable } from './call-table.tsx'
import { readFilter } from './call-list.ts'
import { CallText } from './call-text.tsx'
import { timelineAddress } from './timeline-address.ts'
import '../../style/tools.css'

/** All calls, newest first, and one of them with everything that is known about it. */
export function Timeline({ id, query }: PlaceProps) {
  const filter = readFilter(query)
  if (id !== undefined && query['block'] !== undefined) return <CallText call={id} block={query['block']} />
  if (id === undefined) return <CallTable filter={filter} />
  return (
    <Split
      kind="list"
      list={<CallTable filter={filter} current={id} />}
      detail={<CallView key={id} id={id} filter={filter} />}
      back={timelineAddress(filter)}
      backLabel="Timeline"
      detailLabel="Call"
    />
  )
}
