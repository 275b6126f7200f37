import { useEffect, useState } from 'preact/hooks'
import { send } from '../state/client.ts'
import '../style/fields.css'

/** What an argument is completed for: of a prompt, or of a template of resources. */
export type CompletionSubject = { readonly server: string } & (
  | { readonly prompt: string }
  | { readonly template: string }
)

const pauseMs = 150

/** An input for which the server proposes values while it is typed. */
export function CompletedInput({
  id,
  name,
  value,
  onValue,
  subject,
  known,
  isRequired,
  about,
  problem,
}: {
  readonly id: string
  readonly name: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly subject: CompletionSubject
  /** The other arguments so far. */
  readonly known: Readonly<Record<string, string>>
  readonly isRequired: boolean
  readonly about?: string | undefined
  readonly problem?: string | undefined
}) {
  const [isFocused, setFocused] = useState(false)
  const values = useCompletion({ subject, argument: name, value, known, isOn: isFocused })
  return (
    <div class="field">
      <label class="field-label" for={id}>
        <span class="mono">{name}</span>
        {isRequired && (
          <span class="field-needed" title="required">
            *
          </span>
        )}
      </label>
      <div class="field-value">
        <input
          id={id}
          type="text"
          list={`${id}-values`}
          value={value}
          aria-required={isRequired}
          aria-invalid={problem !== undefined}
          aria-describedby={
            [about && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ') || undefined
          }
          autocomplete="off"
          spellcheck={false}
          onFocus={() => setFocused(true)}
          onBlur={() => setFocused(false)}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
        <datalist id={`${id}-values`}>
          {values.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        {about && (
          <p id={`${id}-hint`} class="field-hint">
            {about}
          </p>
        )}
        {problem && (
          <div id={`${id}-problem`} class="field-problem" role="status">
            <p>{problem}</p>
          </div>
        )}
      </div>
    </div>
  )
}

function useCompletion({
  subject,
  argument,
  value,
  known,
  isOn,
}: {
  readonly subject: CompletionSubject
  readonly argument: string
  readonly value: string
  readonly known: Readonly<Record<string, string>>
  readonly isOn: boolean
}): readonly string[] {
  const [values, setValues] = useState<readonly string[]>([])
  const others = JSON.stringify({ ...known, [argument]: undefined })
  useEffect(() => {
    if (!isOn) return undefined
    const ended = new AbortController()
    const timer = setTimeout(() => {
      send('POST /api/complete', { body: { ...subject, argument, value, known } }, { signal: ended.signal })
        .then((answer) => setValues(answer.values.slice(0, 50)))
        // Completion is a help only: without it the text is typed.
        .catch(() => undefined)
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      ended.abort()
    }
  }, [isOn, value, others, argument])
  return values
}
