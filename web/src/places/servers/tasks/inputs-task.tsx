import { useId, useState } from 'preact/hooks'
import type { ServerDetail, ServerRow } from '../../../../../src/client.ts'
import { Button } from '../../../parts/button.tsx'
import { ErrorLine } from '../../../parts/messages.tsx'
import { addresses } from '../../../state/addresses.ts'
import type { Answer } from '../../../state/answers.ts'
import { useAction } from '../../../state/answers.ts'
import { send } from '../../../state/client.ts'

interface InputsTaskProps {
  readonly server: ServerRow
  readonly detail: Answer<ServerDetail> & { readonly reload: () => Promise<void> }
}

/** The values that a declaration asks for. They are kept in memory until serve ends, and never shown again. */
export function InputsTask({ server: { name }, detail: { value, error, reload } }: InputsTaskProps) {
  return (
    <>
      <h2>Values for {name}</h2>
      <ErrorLine error={error} />
      {value?.inputs.length === 0 && <p>Its declaration asks for no values.</p>}
      {value?.inputs.map((input) => (
        <InputForm key={input.id} server={name} input={input} onSet={() => void reload()} />
      ))}
      <p class="dim">Values count until serve ends; no file keeps them.</p>
      <div class="buttons">
        <Button to={addresses.server(name)}>Done</Button>
      </div>
    </>
  )
}

interface InputFormProps {
  readonly server: string
  readonly input: ServerDetail['inputs'][number]
  readonly onSet: () => void
}

function InputForm({ server, input, onSet }: InputFormProps) {
  const id = useId()
  const [value, setValue] = useState('')
  const set = useAction(async () => {
    await send('PUT /api/servers/:server/inputs/:input', {
      params: { server, input: input.id },
      body: { value },
    })
    setValue('')
    onSet()
  })
  return (
    <form
      class="labeled"
      onSubmit={(event) => {
        event.preventDefault()
        if (value !== '') void set.run()
      }}
    >
      <label for={id}>
        <span class="mono">{input.id}</span> {input.isAnswered && <span class="tone-ok">is set</span>}
      </label>
      {input.description !== undefined && (
        <p class="dim" id={`${id}-about`}>
          {input.description}
        </p>
      )}
      <div class="labeled-row">
        {input.choices ? (
          <select id={id} value={value} onChange={(event) => setValue(event.currentTarget.value)}>
            <option value="">Choose…</option>
            {input.choices.map((choice) => (
              <option key={choice}>{choice}</option>
            ))}
          </select>
        ) : (
          <input
            id={id}
            type={input.isSecret ? 'password' : 'text'}
            autoComplete="off"
            spellcheck={false}
            value={value}
            aria-describedby={input.description === undefined ? undefined : `${id}-about`}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
        )}
        <Button type="submit" kind="primary" {...(value === '' && { refused: 'Type a value first.' })}>
          Set
        </Button>
      </div>
      <ErrorLine error={set.error} />
    </form>
  )
}
