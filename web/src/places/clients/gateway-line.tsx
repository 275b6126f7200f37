import type { GatewayFacts } from '../../../../src/client.ts'
import { Ago } from '../../parts/amounts.tsx'
import { Button } from '../../parts/button.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { useAction } from '../../state/answers.ts'
import { send } from '../../state/client.ts'

/** A gateway in one line, with the way to stop it. */
export function GatewayLine({ gateway }: { readonly gateway: GatewayFacts }) {
  const { id, version, since, note, command, url } = gateway
  const stop = useAction(() => send('POST /api/gateways/:gateway/stop', { params: { gateway: id } }))
  return (
    <span class="gateway-line">
      <span class="dim cut">
        gateway {url !== undefined && <span class="mono">{url} </span>}
        <span class="number">{version}</span>, process <span class="number">{id}</span>, since{' '}
        <Ago at={since} />
        {note !== undefined && `, ${note}`}
      </span>
      {command !== undefined && (
        <Button
          action={stop}
          command={command}
          about="Calls that run have 10 seconds; the next client starts it again"
        >
          Stop
        </Button>
      )}
      <ErrorLine error={stop.error} />
    </span>
  )
}
