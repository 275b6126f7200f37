import { useState } from 'preact/hooks'
import type { ServerRow } from '../../../../src/client.ts'
import { useRovingFocus } from '../../parts/roving-focus.ts'
import { ServerTableRow } from './server-table-row.tsx'

interface ServerTableProps {
  readonly servers: readonly ServerRow[]
  readonly selected: string | undefined
}

const columns = [
  ['Server', ''],
  ['State', ''],
  ['Tools', 'column-tools'],
  ['Cost', 'column-cost'],
  ['Started', 'column-started'],
  ['Last call', 'column-last'],
  ['Declared in', 'column-place'],
] as const

/** Every server in one row each. The table is one tab stop: arrows or j and k move between its rows. */
export function ServerTable({ servers, selected }: ServerTableProps) {
  const [focused, setFocused] = useState(selected)
  const stop =
    [focused, selected].find((name) => servers.some((each) => each.name === name)) ?? servers[0]?.name
  const roving = useRovingFocus<HTMLTableElement>()
  return (
    // The roles are spelled out because display: grid, on narrow screens, removes those of the elements.
    <table class="servers-table" role="table" ref={roving.ref} onKeyDown={roving.onKeyDown}>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(([title, column]) => (
            <th role="columnheader" scope="col" key={title} class={column}>
              {title}
            </th>
          ))}
          <th role="columnheader" scope="col" class="column-steps">
            Next step
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {servers.map((server) => (
          <ServerTableRow
            key={server.name}
            server={server}
            isSelected={server.name === selected}
            isTabStop={server.name === stop}
            onFocus={() => setFocused(server.name)}
          />
        ))}
      </tbody>
    </table>
  )
}
