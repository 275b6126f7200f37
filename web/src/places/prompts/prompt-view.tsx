import { useState } from 'preact/hooks'
import type { RouteAnswer } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { CompletedInput } from '../../parts/completed-input.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { ServerNotice } from '../../parts/server-notice.tsx'
import { addresses, go } from '../../state/addresses.ts'
import { useAction } from '../../state/answers.ts'
import { send } from '../../state/client.ts'
import { draftOf } from '../../state/drafts.ts'
import { useKeptValues } from '../../state/kept-values.ts'
import { useKeys } from '../../state/keys.ts'
import { PromptMessages } from './prompt-messages.tsx'
import { promptText } from './prompt-text.ts'

type Prompt = RouteAnswer<'GET /api/prompts'>['prompts'][number]

/** A prompt: its arguments with completion, what it says with them, and its way into a conversation. */
export function PromptView({ prompt }: { readonly prompt: Prompt }) {
  const { ref, server, name } = prompt
  const [values, set] = useKeptValues(`plugboard.prompt.${ref}`)
  const [filled, setFilled] = useState<RouteAnswer<'POST /api/prompts/:ref'>>()
  const [isTried, setTried] = useState(false)
  const missing = prompt.arguments
    .filter((each) => each.required && !values[each.name])
    .map((each) => each.name)
  const fill = async () => {
    setTried(true)
    if (missing.length > 0) {
      document.getElementById(`prompt-${missing[0]}`)?.focus()
      return undefined
    }
    const args = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
    const answer = await send('POST /api/prompts/:ref', { params: { ref }, body: { args } })
    setFilled(answer)
    return answer
  }
  const preview = useAction(fill)
  const use = useAction(async () => {
    const answer = await fill()
    if (!answer) return
    const draft = draftOf('chat:new')
    const text = promptText(answer.messages)
    draft.value = draft.value === '' ? text : `${draft.value}\n\n${text}`
    go(addresses.chat)
  })
  useKeys({ 'Ctrl+Enter': { does: 'Show what the prompt says', run: () => void preview.run() } })
  return (
    <article class="tool">
      <header class="tool-head">
        <div class="tool-run">
          <Button action={use} about="Put its text into a new conversation, to be sent by you">
            Use in chat
          </Button>
          <Button kind="primary" keyName="Ctrl ⏎" action={preview} command={`plugboard prompt ${ref}`}>
            Preview
          </Button>
        </div>
        <div class="tool-about">
          <h1 class="mono">{name}</h1>
          {prompt.title && prompt.title !== name && <p>{prompt.title}</p>}
          <p class="dim small">
            <a href={addresses.server(server)}>{server}</a>
          </p>
          {prompt.description && <p class="tool-description">{prompt.description}</p>}
        </div>
      </header>
      <ServerNotice server={server} />
      <div class="fields tool-pane">
        {prompt.arguments.length === 0 && <p class="dim">Takes no arguments.</p>}
        {prompt.arguments.map((argument) => (
          <CompletedInput
            key={argument.name}
            id={`prompt-${argument.name}`}
            name={argument.name}
            value={values[argument.name] ?? ''}
            onValue={(value) => set(argument.name, value)}
            subject={{ server, prompt: name }}
            known={values}
            isRequired={argument.required}
            about={argument.description}
            problem={isTried && missing.includes(argument.name) ? 'is required but missing' : undefined}
          />
        ))}
        <ErrorLine error={preview.error ?? use.error} />
      </div>
      {filled && <PromptMessages filled={filled} server={server} />}
    </article>
  )
}
