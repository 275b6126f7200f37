import lazy, { ErrorBoundary } from 'preact-iso/lazy'
import type { PlaceProps } from '../../app.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/messages.tsx'
import { PlaceHead } from '../../parts/place-head.tsx'
import { Split } from '../../parts/split.tsx'
import { addresses } from '../../state/addresses.ts'
import { about, servers } from '../../state/page-state.ts'
import '../../style/servers.css'
import { ServerPanel } from './detail/server-panel.tsx'
import { RestartAll } from './restart-all.tsx'
import { readTab, readTask } from './server-address.ts'
import { ServerCounts } from './server-counts.tsx'
import { ServerNotices } from './server-notices.tsx'
import { useServerKeys } from './server-keys.ts'
import { ServerTable } from './server-table.tsx'

const AddServer = lazy(() => import('./add/add-server.tsx').then(({ AddServer }) => AddServer))

/** `/servers` and `/servers/:name`: every server in a table, one of them beside it. */
export function Servers({ id: name, query }: PlaceProps) {
  const all = servers.value
  const opened = all.find((each) => each.name === name)
  const isAdding = name === undefined && query['do'] === 'add'
  const state = name === undefined ? query['state'] : undefined
  const shown = state === undefined ? all : all.filter((each) => each.state.word === state)
  useServerKeys(all, name)

  return (
    <Split
      kind="panel"
      back={addresses.servers}
      backLabel="Servers"
      detailLabel={isAdding ? 'Add a server' : (name ?? 'Server')}
      list={
        <div class="place servers-list">
          <PlaceHead
            title="Servers"
            about={<ServerCounts servers={all} shown={state} />}
            {...(name !== undefined && { tab: `${name} · Servers` })}
          >
            <Button to={`${addresses.servers}?do=add`} command="plugboard add NAME">
              Add…
            </Button>
            <RestartAll servers={all} />
          </PlaceHead>
          <ServerNotices />
          {all.length > 0 && <ServerTable servers={shown} selected={name} />}
        </div>
      }
      detail={
        isAdding ? (
          <ErrorBoundary>
            <AddServer />
          </ErrorBoundary>
        ) : opened ? (
          <ServerPanel
            key={opened.name}
            server={opened}
            tab={readTab(query['tab'])}
            task={readTask(query['do'])}
          />
        ) : name !== undefined && about.value ? (
          <Unknown name={name} />
        ) : undefined
      }
    />
  )
}

function Unknown({ name }: { readonly name: string }) {
  return (
    <Empty title={name} says="No server has this name here." command={`plugboard why ${name}`}>
      <Button to={addresses.servers}>All servers</Button>
    </Empty>
  )
}
