import type { ServerRow } from '../../../../../src/client.ts'
import { Button } from '../../../parts/button.tsx'
import { taskAddress } from '../server-address.ts'
import type { DirectAction } from '../server-requests.ts'
import { isRunning, request } from '../server-requests.ts'

interface ServerFooterProps {
  readonly server: ServerRow
  /** How many logins to it are kept. */
  readonly accounts: number
  /** Its state is cured in the view above: what is offered there is not offered twice. */
  readonly hasCure: boolean
}

/** Everything that can be done to a server whatever its state; the cure of its state is in the view above. */
export function ServerFooter({ server, accounts, hasCure }: ServerFooterProps) {
  const { name, isEnabled, trust, state } = server
  const isUp = state.tone === 'ok' || (state.tone === 'warn' && state.shape === 'ring')
  const isRestartAbove = hasCure && server.next.some(({ action }) => action === 'restart')
  const toggle = isEnabled ? 'disable' : 'enable'
  return (
    <footer class="server-footer">
      {isEnabled && state.tone !== 'ask' && (
        <>
          {!isRestartAbove && (
            <Direct server={name} action="restart" label="Restart" about="Starts it anew (r)." />
          )}
          {isUp && <Direct server={name} action="stop" label="Stop" about="The next call starts it again." />}
        </>
      )}
      {accounts > 0 && (
        <Direct server={name} action="logout" label="Log out" command={`plugboard logout ${name}`} />
      )}
      {trust === 'trusted' && (
        <Direct server={name} action="untrust" label="Untrust" command={`plugboard untrust ${name}`} />
      )}
      <Button to={taskAddress(name, toggle)} command={`plugboard ${toggle} ${name}`}>
        {isEnabled ? 'Switch off…' : 'Switch on…'}
      </Button>
      <Button to={taskAddress(name, 'remove')} command={`plugboard remove ${name}`}>
        Remove…
      </Button>
    </footer>
  )
}

interface DirectProps {
  readonly server: string
  readonly action: DirectAction
  readonly label: string
  readonly command?: string
  readonly about?: string
}

function Direct({ server, action, label, ...shown }: DirectProps) {
  return (
    <Button {...shown} action={{ isBusy: isRunning(server, action), run: () => request(server, action) }}>
      {label}
    </Button>
  )
}
