import { useEffect, useState } from 'preact/hooks'
import type { RouteAnswer, ServerRow } from '../../../../../src/client.ts'
import { Button } from '../../../parts/button.tsx'
import { DiffView } from '../../../parts/code-lines.tsx'
import { ErrorLine, Loading } from '../../../parts/messages.tsx'
import { addresses, go } from '../../../state/addresses.ts'
import { announce } from '../../../state/announce.ts'
import { useAction } from '../../../state/answers.ts'
import { send } from '../../../state/client.ts'

type Change = 'enable' | 'disable' | 'remove'
type Changed = RouteAnswer<'PUT /api/servers/:server/enabled'>

/** Shows what would change in which file, then writes it. */
export function FileChange({ server, change }: { readonly server: ServerRow; readonly change: Change }) {
  const { name, isEnabled } = server
  const [preview, setPreview] = useState<Changed>()
  const look = useAction(async () => setPreview(await sendChange(name, change, true)))
  useEffect(() => void look.run(), [name, change, isEnabled])
  const write = useAction(async () => {
    await sendChange(name, change, false)
    announce(`${name} is ${words[change].done}.`)
    go(change === 'remove' ? addresses.servers : addresses.server(name))
  })
  const isNothing = preview?.differences.length === 0
  return (
    <>
      <h2>{words[change].title(name)}</h2>
      <ErrorLine error={write.error ?? look.error} />
      {preview ? (
        <DiffView differences={preview.differences} />
      ) : (
        !look.error && <Loading what="Reading the file" />
      )}
      {preview?.notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {isNothing && <p>Nothing to write: the file says so already.</p>}
      <div class="buttons">
        {preview && !isNothing && (
          <Button kind="primary" action={write} command={`plugboard ${change} ${name}`}>
            {words[change].label}
          </Button>
        )}
        <Button to={addresses.server(name)}>{isNothing ? 'Back' : 'Cancel'}</Button>
      </div>
    </>
  )
}

const words = {
  enable: {
    label: 'Switch on',
    done: 'switched on',
    title: (name: string) => `Switch ${name} on in its file`,
  },
  disable: {
    label: 'Switch off',
    done: 'switched off',
    title: (name: string) => `Switch ${name} off in its file`,
  },
  remove: { label: 'Remove', done: 'removed', title: (name: string) => `Remove ${name} from its file` },
} as const satisfies Readonly<Record<Change, object>>

function sendChange(server: string, change: Change, isDryRun: boolean): Promise<Changed> {
  const params = { server }
  return change === 'remove'
    ? send('DELETE /api/servers/:server', { params, body: { isDryRun } })
    : send('PUT /api/servers/:server/enabled', { params, body: { enabled: change === 'enable', isDryRun } })
}
