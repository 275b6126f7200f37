import type { ServerRow } from '../../../../src/client.ts'
import { addresses, go } from '../../state/addresses.ts'
import type { KeyBinding } from '../../state/keys.ts'
import { useKeys } from '../../state/keys.ts'
import { taskAddress } from './server-address.ts'
import { request } from './server-requests.ts'

/** The keys of the place. They act on the server whose row has the focus, else on the one that is open. */
export function useServerKeys(servers: readonly ServerRow[], opened: string | undefined): void {
  const find = (): ServerRow | undefined => {
    const row = document.activeElement?.closest<HTMLElement>('[data-server]')
    const name = row?.dataset['server'] ?? opened
    return servers.find((each) => each.name === name)
  }
  const binding = (does: string, work: (server: ServerRow) => void): KeyBinding => ({
    does,
    run: () => {
      const server = find()
      if (server) work(server)
    },
  })
  const enterTable: KeyBinding = { does: 'Next or previous server', run: focusTable }
  useKeys({
    j: enterTable,
    k: enterTable,
    x: binding('Switch the server on or off in its file', ({ name, isEnabled }) =>
      go(taskAddress(name, isEnabled ? 'disable' : 'enable')),
    ),
    r: binding('Restart the server', ({ name }) => void request(name, 'restart')),
    l: binding('Log of the server', ({ name }) => go(addresses.server(name, 'log'))),
  })
}

/** Within the table its own keys move the focus. */
function focusTable(): void {
  document.querySelector<HTMLElement>('.servers-table [data-row][tabindex="0"]')?.focus()
}
