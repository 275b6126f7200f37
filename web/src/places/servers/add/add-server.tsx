import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import { ClientError } from '../../../../../src/client.ts'
import type { RouteAnswer } from '../../../../../src/client.ts'
import { Button } from '../../../parts/button.tsx'
import type { TypedCode } from '../../../parts/code-dialog.tsx'
import { CodeDialog } from '../../../parts/code-dialog.tsx'
import { DiffView } from '../../../parts/code-lines.tsx'
import { ErrorLine } from '../../../parts/messages.tsx'
import { addresses, go } from '../../../state/addresses.ts'
import type { Action } from '../../../state/answers.ts'
import { useAction } from '../../../state/answers.ts'
import { send } from '../../../state/client.ts'
import { changeDraft, clearDraft, draft, toBody, wrongPairs } from './add-draft.ts'

/** Adds a server to a file: the form, then the change of the file, then the code where a program would run. */
export function AddServer() {
  const [preview, setPreview] = useState<RouteAnswer<'POST /api/servers'>>()
  const [isAsking, setAsking] = useState(false)
  const body = toBody(draft.value)
  const look = useAction(async () =>
    setPreview(await send('POST /api/servers', { body: { ...body, isDryRun: true } })),
  )
  const write = async (typed?: TypedCode): Promise<void> => {
    await send('POST /api/servers', { body: { ...body, ...typed } })
    clearDraft()
    go(addresses.server(body.name))
  }
  const add = useAction(async () => {
    try {
      await write()
    } catch (error) {
      if (!(error instanceof ClientError && error.fault.code === 'code.needed')) throw error
      setAsking(true)
    }
  })
  return (
    <div class="server-panel">
      <header class="server-head">
        <h1>Add a server</h1>
        <span class="grow" />
        <Button kind="plain" class="panel-close" to={addresses.servers} about="Close (Esc)">
          Close
        </Button>
      </header>
      {preview ? (
        <div class="server-view">
          <p>This would be written:</p>
          <DiffView differences={preview.differences} />
          {preview.notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
          <ErrorLine error={add.error} />
          <div class="buttons">
            <Button kind="primary" action={add} command={`plugboard add ${body.name}`}>
              {body.command === undefined ? 'Add' : 'Add…'}
            </Button>
            <Button onPress={() => setPreview(undefined)}>Change</Button>
          </div>
          {body.command !== undefined && (
            <p class="dim">A command runs on this machine: the terminal of serve shows a code for it.</p>
          )}
        </div>
      ) : (
        <AddForm look={look} />
      )}
      {isAsking && (
        <CodeDialog
          subject={{ for: 'add', subject: body.name, about: body }}
          says={`Type it to add ${body.name} exactly as shown.`}
          label="Add"
          onCode={write}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}

interface AddFormProps {
  readonly look: Action<[]>
}

function AddForm({ look }: AddFormProps) {
  const { name, scope, kind, command, args, env, url, headers } = draft.value
  const isCommand = kind === 'command'
  const wrong = isCommand ? wrongPairs(env, '=') : wrongPairs(headers, ':')
  const isReady =
    name.trim() !== '' && (isCommand ? command.trim() !== '' : url.trim() !== '') && wrong.length === 0
  return (
    <form
      class="server-view"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) void look.run()
      }}
    >
      <Labeled label="Name">
        {(id) => (
          <input
            id={id}
            value={name}
            required
            autoComplete="off"
            spellcheck={false}
            onInput={(event) => changeDraft({ name: event.currentTarget.value })}
          />
        )}
      </Labeled>
      <Choice
        label="Reached by"
        name="kind"
        value={kind}
        options={[
          ['command', 'a command on this machine'],
          ['address', 'an address'],
        ]}
        onChoose={(value) => changeDraft({ kind: value })}
      />
      {isCommand ? (
        <>
          <Text
            label="Command"
            value={command}
            about="The program, with its arguments if they fit in a line."
            onInput={(value) => changeDraft({ command: value })}
          />
          <Text
            label="More arguments"
            value={args}
            about="One a line."
            rows={3}
            onInput={(value) => changeDraft({ args: value })}
          />
          <Text
            label="Environment"
            value={env}
            about="NAME=value, one a line. ${NAME} takes a variable of yours."
            rows={2}
            onInput={(value) => changeDraft({ env: value })}
          />
        </>
      ) : (
        <>
          <Text
            label="Address"
            value={url}
            about="https://…"
            onInput={(value) => changeDraft({ url: value })}
          />
          <Text
            label="Headers"
            value={headers}
            about="Name: value, one a line."
            rows={2}
            onInput={(value) => changeDraft({ headers: value })}
          />
        </>
      )}
      {wrong.length > 0 && (
        <p class="tone-bad" role="alert">
          {isCommand ? 'Not NAME=value: ' : 'Not Name: value: '}
          <span class="mono">{wrong[0]}</span>
        </p>
      )}
      <Choice
        label="For"
        name="scope"
        value={scope}
        options={[
          ['user', 'all my projects'],
          ['project', 'this project, in its file'],
        ]}
        onChoose={(value) => changeDraft({ scope: value })}
      />
      <ErrorLine error={look.error} />
      <div class="buttons">
        <Button
          type="submit"
          kind="primary"
          command={`plugboard add ${name.trim() || 'NAME'} --dry-run`}
          {...(!isReady && { refused: `A name and ${isCommand ? 'a command' : 'an address'} are needed.` })}
        >
          Show the change
        </Button>
      </div>
    </form>
  )
}

function Labeled({
  label,
  children,
}: {
  readonly label: string
  readonly children: (id: string) => ComponentChildren
}) {
  const id = useId()
  return (
    <div class="labeled">
      <label for={id}>{label}</label>
      {children(id)}
    </div>
  )
}

interface TextProps {
  readonly label: string
  readonly value: string
  readonly about: string
  readonly rows?: number
  readonly onInput: (value: string) => void
}

function Text({ label, value, about, rows, onInput }: TextProps) {
  const id = useId()
  const shared = {
    id,
    value,
    spellcheck: false,
    autoComplete: 'off',
    class: 'mono',
    'aria-describedby': `${id}-about`,
  } as const
  return (
    <div class="labeled">
      <label for={id}>{label}</label>
      {rows === undefined ? (
        <input {...shared} onInput={(event) => onInput(event.currentTarget.value)} />
      ) : (
        <textarea {...shared} rows={rows} onInput={(event) => onInput(event.currentTarget.value)} />
      )}
      <p class="dim small" id={`${id}-about`}>
        {about}
      </p>
    </div>
  )
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly name: string
  readonly value: Value
  readonly options: readonly (readonly [Value, string])[]
  readonly onChoose: (value: Value) => void
}

function Choice<Value extends string>({ label, name, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <fieldset class="choice">
      <legend>{label}</legend>
      {options.map(([each, title]) => (
        <label key={each}>
          <input type="radio" name={name} checked={each === value} onChange={() => onChoose(each)} /> {title}
        </label>
      ))}
    </fieldset>
  )
}
