import { useState } from 'preact/hooks'
import type { Fault } from '../../../../src/client.ts'
import { Button } from '../../parts/button.tsx'
import { CompletedInput } from '../../parts/completed-input.tsx'
import { ErrorLine } from '../../parts/messages.tsx'
import { toFault } from '../../state/answers.ts'
import { fillPrompt } from './offers.ts'
import type { OfferedPrompt } from './offers.ts'

/** The arguments of a prompt; what it says with them goes into the message box. */
export function PromptArguments({
  prompt,
  onFilled,
  onCancel,
}: {
  readonly prompt: OfferedPrompt
  readonly onFilled: (text: string) => void
  readonly onCancel: () => void
}) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const [problem, setProblem] = useState<Fault>()
  const subject = { server: prompt.server, prompt: prompt.name }
  return (
    <form
      class="chat-arguments"
      aria-label={`Arguments of ${prompt.name}`}
      onSubmit={(event) => {
        event.preventDefault()
        fillPrompt(prompt, values).then(onFilled, (error: unknown) => setProblem(toFault(error)))
      }}
    >
      <p>
        <b class="mono">/{prompt.name}</b> <span class="dim">{prompt.description}</span>
      </p>
      {prompt.arguments.map(({ name, description, required }, at) => (
        <CompletedInput
          key={name}
          id={`prompt-${at}`}
          name={name}
          value={values[name] ?? ''}
          onValue={(value) => setValues((before) => withValue(before, name, value))}
          subject={subject}
          known={values}
          isRequired={required}
          about={description}
        />
      ))}
      <ErrorLine error={problem} />
      <div class="buttons">
        <Button type="submit" kind="primary" command={`plugboard prompt ${prompt.ref}`}>
          Fill in
        </Button>
        <Button onPress={onCancel} about="Without this prompt">
          Cancel
        </Button>
      </div>
    </form>
  )
}

/** An argument that is empty is not sent. */
function withValue(
  values: Readonly<Record<string, string>>,
  name: string,
  value: string,
): Readonly<Record<string, string>> {
  const { [name]: _before, ...others } = values
  return value === '' ? others : { ...others, [name]: value }
}
