import { useState } from 'preact/hooks'
import { addresses } from '../state/addresses.ts'
import { useAction } from '../state/answers.ts'
import { send } from '../state/client.ts'
import { servers } from '../state/page-state.ts'
import { Button } from './button.tsx'
import { ErrorLine } from './messages.tsx'
import { StateMark } from './state-mark.tsx'

/** What is wrong with a server, where something of it is open, with the cure. Nothing if it is ready, or starts when called. */
export function ServerNotice({ server: name }: { readonly server: string }) {
  const server = servers.value.find((each) => each.name === name)
  const [cured, setCured] = useState<string>()
  const restart = useAction(async () => {
    await send('POST /api/servers/:server/restart', { params: { server: name } })
    setCured(name)
  })
  if (!server || server.state.tone === 'ok' || server.state.tone === 'dim') {
    return cured === name ? <p class="tool-notice tone-ok">{name} is back.</p> : null
  }
  const [step] = server.next
  return (
    <div class="tool-notice">
      <a class="strong" href={addresses.server(name)}>
        {name}
      </a>
      <StateMark state={server.state} />
      <span class="tool-notice-text">{server.state.sentence}</span>
      {step &&
        (step.action === 'restart' || step.action === 'start' ? (
          <Button action={restart} command={step.command}>
            {step.label}
          </Button>
        ) : (
          <Button to={step.to ?? addresses.server(name)} command={step.command}>
            {step.label}
          </Button>
        ))}
      <ErrorLine error={restart.error} />
    </div>
  )
}
