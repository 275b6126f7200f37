import { Braces } from 'lucide-preact'
import type { Field } from '../../../src/client.ts'
import { toPointer } from '../../../src/model/json.ts'
import type { FormUse } from './form-use.ts'
import { closeText, draftOf, openText, parseText, readDraft, valueIn, writeText } from './form-draft.ts'
import type { Path } from './form-draft.ts'

/** Switches one level between form and JSON. A text that is not JSON stays open, so that it is not lost. */
export function JsonSwitch({
  form,
  field,
  path,
}: {
  readonly form: FormUse
  readonly field: Field
  readonly path: Path
}) {
  const text = form.draft.texts[toPointer(path)]
  const isBroken = text !== undefined && 'problem' in parseText(text)
  const label = field.name === '' ? 'arguments' : field.name
  return (
    <button
      type="button"
      class="field-switch"
      aria-pressed={text !== undefined}
      aria-label={`JSON of ${label}`}
      disabled={isBroken}
      title={isBroken ? 'The text is not JSON yet' : text === undefined ? 'Edit as JSON' : 'Edit as form'}
      onClick={() =>
        form.onChange((draft) =>
          text === undefined
            ? openText(draft, path, shownValue(field, valueIn(draft.value, path)))
            : closeText(draft, path),
        )
      }
    >
      <Braces size={14} aria-hidden="true" />
      JSON
    </button>
  )
}

/** Form or JSON for all of a form. */
export function JsonModes({
  field,
  draft,
  onChange,
}: {
  readonly field: Field
  readonly draft: FormUse['draft']
  readonly onChange: FormUse['onChange']
}) {
  const text = draft.texts['']
  const isBroken = text !== undefined && 'problem' in parseText(text)
  return (
    <span class="segments" role="group" aria-label="Edit as">
      <button
        type="button"
        class="segment"
        aria-pressed={text === undefined}
        disabled={isBroken}
        title={isBroken ? 'The text is not JSON yet' : undefined}
        onClick={() => onChange((now) => closeText(now, []))}
      >
        Form
      </button>
      <button
        type="button"
        class="segment"
        aria-pressed={text !== undefined}
        onClick={() => {
          if (text === undefined) onChange((now) => openText(now, [], readDraft(field, now)))
        }}
      >
        JSON
      </button>
    </span>
  )
}

export function JsonText({
  form,
  field,
  path,
  id,
  labelId,
  describedBy,
  isInvalid,
}: {
  readonly form: FormUse
  readonly field: Field
  readonly path: Path
  readonly id: string
  readonly labelId: string
  readonly describedBy: string | undefined
  readonly isInvalid: boolean
}) {
  const value = valueIn(form.draft.value, path)
  const text =
    form.draft.texts[toPointer(path)] ?? (value === undefined ? '' : JSON.stringify(value, null, 2))
  const example = field.kind === 'json' ? field.example : undefined
  return (
    <>
      {field.kind === 'json' && (
        <code class="field-signature" title={field.reason}>
          {field.signature}
        </code>
      )}
      <textarea
        id={id}
        class="field-json"
        rows={Math.min(Math.max(text.split('\n').length, 3), 24)}
        value={text}
        placeholder={example === undefined ? '' : JSON.stringify(example)}
        spellcheck={false}
        autocomplete="off"
        aria-labelledby={labelId}
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        aria-required={field.isRequired}
        onInput={(event) => {
          const typed = event.currentTarget.value
          form.onChange((draft) => writeText(draft, path, typed))
        }}
      />
      {example !== undefined && text.trim() === '' && (
        <button
          type="button"
          class="button is-plain"
          onClick={() => form.onChange((draft) => writeText(draft, path, JSON.stringify(example, null, 2)))}
        >
          Example
        </button>
      )}
    </>
  )
}

/** What the JSON of a level begins with: what would be sent, with the constants. */
function shownValue(field: Field, value: Parameters<typeof draftOf>[0]) {
  return readDraft({ ...field, isRequired: field.isRequired || value !== undefined }, draftOf(value))
}
