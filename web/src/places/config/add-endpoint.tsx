import { useId, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import type { TypedCode } from '../../parts/code-dialog.tsx'
import { CodeDialog } from '../../parts/code-dialog.tsx'
import { send } from '../../state/client.ts'

/** An endpoint for the settings. What is typed to models goes there, so it needs the code of the terminal. */
export function AddEndpoint({ onClose }: { readonly onClose: (isAdded: boolean) => void }) {
  const [name, setName] = useState('')
  const [address, setAddress] = useState('')
  const [key, setKey] = useState('')
  const [isAsking, setAsking] = useState(false)
  const body = {
    name: name.trim(),
    ...(address.trim() !== '' && { address: address.trim() }),
    ...(key !== '' && { key }),
  }
  const add = async (typed: TypedCode): Promise<void> => {
    await send('POST /api/models/endpoints', { body: { ...body, ...typed } })
    onClose(true)
  }
  return (
    <form
      class="frame config-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (body.name !== '') setAsking(true)
      }}
    >
      <Text
        label="Name"
        value={name}
        about="Of a preset, such as ollama, openai, anthropic; or your own."
        onInput={setName}
      />
      <Text
        label="Address"
        value={address}
        about="Of your own endpoint: http://…/v1. Presets know theirs."
        onInput={setAddress}
      />
      <Text
        label="Key"
        value={key}
        about="Or ${NAME}, which takes an environment variable. Empty: none."
        onInput={setKey}
        isSecret
      />
      <div class="buttons">
        <Button
          kind="primary"
          type="submit"
          command={`plugboard models add ${body.name || 'NAME'}`}
          {...(body.name === '' && { refused: 'A name is needed.' })}
        >
          Add…
        </Button>
        <Button onPress={() => onClose(false)}>Cancel</Button>
      </div>
      {isAsking && (
        <CodeDialog
          subject={{ for: 'model', subject: body.name, about: body }}
          says={`Type it to add the endpoint ${body.name}.`}
          label="Add"
          onCode={add}
          onClose={() => setAsking(false)}
        />
      )}
    </form>
  )
}

interface TextProps {
  readonly label: string
  readonly value: string
  readonly about: string
  readonly onInput: (value: string) => void
  readonly isSecret?: boolean
}

function Text({ label, value, about, onInput, isSecret = false }: TextProps) {
  const id = useId()
  return (
    <div class="labeled">
      <label for={id}>{label}</label>
      <input
        id={id}
        type={isSecret ? 'password' : 'text'}
        class="mono"
        value={value}
        autoComplete="off"
        spellcheck={false}
        aria-describedby={`${id}-about`}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <p class="dim small" id={`${id}-about`}>
        {about}
      </p>
    </div>
  )
}
