import type { ComponentChildren } from 'preact'
import type { ClientFacts } from '../../../../src/client.ts'
import { Ago } from '../../parts/amounts.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty, Loading } from '../../parts/messages.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { addresses } from '../../state/addresses.ts'
import { usePageTitle } from '../../state/page-title.ts'
import { CallRows } from './call-rows.tsx'
import type { useClients } from './live-clients.ts'

interface ClientViewProps {
  readonly client: ClientFacts | undefined
  readonly live: ReturnType<typeof useClients>
}

/** One client: what it is, where it works, and its calls. */
export function ClientView({ client, live }: ClientViewProps) {
  usePageTitle(client?.name ?? 'Client', 'Clients')
  if (!client)
    return live.isLoading ? (
      <Loading what="Client" />
    ) : (
      <Empty title="Client" says="This client has left." command="plugboard gateway status">
        <Button to={addresses.clients}>All clients</Button>
      </Empty>
    )
  const { name, version, era, protocol, folder, caller, view, since, pid, servers } = client
  return (
    <article class="client-detail">
      <h1>
        {name} {version !== undefined && <span class="dim number">{version}</span>}
      </h1>
      <dl>
        <Fact name="state">
          <StateMark state={client} /> <span class="dim">{client.sentence}</span>
        </Fact>
        {caller !== undefined && <Fact name="caller">{caller}, over HTTP</Fact>}
        <Fact name="folder">
          <span class="mono">{folder}</span>
        </Fact>
        <Fact name="protocol">{protocol === undefined ? 'not greeted yet' : `${protocol} (${era})`}</Fact>
        <Fact name="sees">{view === undefined ? 'all tools of its folder' : `the view ${view}`}</Fact>
        <Fact name="connected">
          <Ago at={since} />
          {pid !== undefined && (
            <>
              , process <span class="number">{pid}</span>
            </>
          )}
        </Fact>
        <Fact name="servers">
          {servers.length === 0
            ? 'none needed yet'
            : servers.map((server) => `${server.name} (${server.state})`).join(', ')}
        </Fact>
      </dl>
      <CallRows title="Calls" calls={live.calls.filter((call) => call.client === client.id)} />
    </article>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt class="dim">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
