import type { NextStep, ServerRow } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { beginLogin } from './logins.ts'
import { stepAddress } from './server-address.ts'
import { isRunning, request } from './server-requests.ts'

interface StepButtonProps {
  readonly server: ServerRow
  readonly step: NextStep
  readonly isPrimary?: boolean
  readonly tabIndex?: number
}

/** A next step of a server: a link where it has a view, else a button that does it at once. */
export function StepButton({ server, step, isPrimary = false, tabIndex = 0 }: StepButtonProps) {
  const { action, label, command } = step
  const shared = { command, tabIndex, ...(isPrimary && { kind: 'primary' as const }) }
  const to = stepAddress(server, step)
  if (to !== undefined) {
    return (
      <Button
        {...shared}
        to={to}
        {...(action === 'login' && { onPress: () => void beginLogin(server.name) })}
      >
        {label}
      </Button>
    )
  }
  if (action !== 'start' && action !== 'stop' && action !== 'restart' && action !== 'logout') return null
  return (
    <Button
      {...shared}
      action={{
        isBusy: isRunning(server.name, action),
        run: () => request(server.name, action),
      }}
    >
      {label}
    </Button>
  )
}
