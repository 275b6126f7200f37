import type { PlaceProps } from '../../app.tsx'
import type { ClientFacts } from '../../../../src/client.ts'
import { Ago, plural } from '../../parts/amounts.tsx'
import { List } from '../../parts/list.tsx'
import { ListHead } from '../../parts/list-head.tsx'
import { ErrorLine, Loading } from '../../parts/messages.tsx'
import { Split } from '../../parts/split.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { addresses } from '../../state/addresses.ts'
import { usePageTitle } from '../../state/page-title.ts'
import { CallRows } from './call-rows.tsx'
import { ClientView } from './client-view.tsx'
import { ConnectClient } from './connect-client.tsx'
import { GatewayLine } from './gateway-line.tsx'
import { useClients } from './live-clients.ts'
import '../../style/clients.css'

/** The programs that use the gateway of this user, what they call now, and what waits for an answer. */
export function Clients({ id }: PlaceProps) {
  const live = useClients()
  usePageTitle(...(id === undefined ? ['Clients'] : []))
  const isNarrow = id !== undefined
  const list = (
    <div class={isNarrow ? 'clients is-narrow' : 'place clients'}>
      <ListHead title="Clients" hasDetail={isNarrow}>
        {live.clients.length > 0 && <span class="dim">{live.clients.length} connected</span>}
        {!isNarrow && live.gateways.map((gateway) => <GatewayLine key={gateway.id} gateway={gateway} />)}
      </ListHead>
      <ErrorLine error={live.error} />
      {live.isLoading && <Loading what="Clients" />}
      {!live.isLoading && live.clients.length === 0 && live.connect && (
        <ConnectClient connect={live.connect} hasGateway={live.gateways.length > 0} />
      )}
      {live.clients.length > 0 && (
        <List
          class="client-list"
          label={plural(live.clients.length, 'client')}
          items={live.clients}
          keyOf={(client) => client.id}
          to={(client) => addresses.client(client.id)}
          current={id}
        >
          {(client) => <ClientRow client={client} />}
        </List>
      )}
      {!isNarrow && live.clients.length > 0 && (
        <CallRows title="Calls" calls={live.calls} clients={live.clients} />
      )}
    </div>
  )
  if (id === undefined) return list
  const client = live.clients.find((each) => each.id === id)
  return (
    <Split
      kind="list"
      list={list}
      detail={<ClientView key={id} client={client} live={live} />}
      back={addresses.clients}
      backLabel="Clients"
      detailLabel="Client"
    />
  )
}

function ClientRow({ client }: { readonly client: ClientFacts }) {
  const { name, version, caller, shownFolder, view, protocol, since } = client
  return (
    <span class="client-row">
      <span class="client-name cut">
        <b>{name}</b> {version !== undefined && <span class="dim number">{version}</span>}
      </span>
      <span class="client-state cut" title={client.sentence}>
        <StateMark state={client} /> <span class="dim">{client.sentence}</span>
      </span>
      <span class="client-folder cut mono" title={client.folder}>
        {caller === undefined ? shownFolder : `caller ${caller}`}
      </span>
      <span class="client-view cut dim">{view === undefined ? 'all tools' : `view ${view}`}</span>
      <span class="client-protocol dim number">{protocol ?? '—'}</span>
      <span class="client-since dim">
        <Ago at={since} />
      </span>
    </span>
  )
}
