import type { ServerRow } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { useAction } from '../../state/answers.ts'
import { request } from './server-requests.ts'

/** Restarts those that run and those that failed. Idle ones start when they are called. */
export function RestartAll({ servers }: { readonly servers: readonly ServerRow[] }) {
  const concerned = servers.filter(
    ({ isEnabled, state: { tone } }) => isEnabled && (tone === 'ok' || tone === 'bad'),
  )
  const restart = useAction(() => Promise.all(concerned.map(({ name }) => request(name, 'restart'))))
  return (
    <Button
      action={restart}
      about="Restarts the servers that run or failed; the others start when they are called."
      {...(concerned.length === 0 && { refused: 'No server runs.' })}
    >
      Restart all
    </Button>
  )
}
