import { useEffect, useId, useState } from 'preact/hooks'
import type { RouteAnswer, RouteInput } from '../../../src/client.ts'
import { useAction } from '../state/answers.ts'
import { send } from '../state/client.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorLine, Loading } from './messages.tsx'
import { TimeLeft } from './time-left.tsx'

type Subject = RouteInput<'POST /api/codes'>['body']

/** What a guarded request carries. */
export interface TypedCode {
  readonly request: string
  readonly code: string
}

interface CodeDialogProps {
  /** What the code allows; the terminal shows the same. */
  readonly subject: Subject
  /** One sentence: what happens with the right code. */
  readonly says: string
  /** The verb of the button. */
  readonly label: string
  /** Sends the guarded request. Its refusal is shown, and the dialog stays. */
  readonly onCode: (typed: TypedCode) => Promise<void>
  readonly onClose: () => void
}

/**
 * Asks for the code that the terminal of `serve` shows. It is modal because what follows lets a program run: only a person
 * who sees that terminal can go on (T37).
 */
export function CodeDialog({ subject, says, label, onCode, onClose }: CodeDialogProps) {
  const id = useId()
  const [code, setCode] = useState('')
  const [shown, setShown] = useState<RouteAnswer<'POST /api/codes'>>()
  const show = useAction(async () => {
    setShown(undefined)
    setShown(await send('POST /api/codes', { body: subject }))
  })
  const submit = useAction(async () => {
    if (shown) await onCode({ request: shown.request, code: code.trim() })
  })
  useEffect(() => void show.run(), [])
  const error = submit.error ?? show.error
  return (
    <Dialog label="The code from the terminal" onClose={onClose}>
      <form
        class="dialog-body"
        onSubmit={(event) => {
          event.preventDefault()
          if (shown && code.trim() !== '') void submit.run()
        }}
      >
        <h2>The code from the terminal</h2>
        <p>{says}</p>
        {shown ? (
          <p class="dim">
            Look at {shown.where}. The code ends <TimeLeft until={shown.expiresAt} />.
          </p>
        ) : (
          !error && <Loading what="Showing a code in the terminal" />
        )}
        <div class="labeled">
          <label for={id}>Code</label>
          <input
            id={id}
            class="code-box mono"
            value={code}
            autoComplete="off"
            spellcheck={false}
            maxLength={12}
            autofocus
            aria-invalid={submit.error !== undefined}
            aria-describedby={error && `${id}-error`}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
        </div>
        <ErrorLine error={error} id={`${id}-error`} />
        <div class="buttons">
          <Button
            kind="primary"
            type="submit"
            {...((!shown || code.trim() === '') && { refused: 'Type the code that the terminal shows.' })}
          >
            {label}
          </Button>
          {error && (
            <Button
              onPress={() => {
                submit.clear()
                setCode('')
                void show.run()
              }}
            >
              Show a new code
            </Button>
          )}
          <Button onPress={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  )
}
