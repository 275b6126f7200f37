import type { RouteAnswer } from '../../../../src/client.ts'
import { CommandText, CopyButton } from '../../parts/copy-button.tsx'

/** How a client is connected: by a command, or by an entry that a person writes into its file. */
export function ConnectClient({
  connect,
  hasGateway,
}: {
  readonly connect: RouteAnswer<'GET /api/clients'>['connect']
  readonly hasGateway: boolean
}) {
  const { sentence, command, entry } = connect
  return (
    <div class="empty client-connect">
      <p>{hasGateway ? 'The gateway waits for its next client.' : sentence}</p>
      <p>Move the servers of a client behind the gateway, after a preview:</p>
      <p>
        <CommandText command={command} />
      </p>
      <p>Or write this entry into the file of the client, and start the client again:</p>
      <div class="client-entry">
        <pre class="text">{entry}</pre>
        <CopyButton text={entry} label="Copy entry" />
      </div>
    </div>
  )
}
