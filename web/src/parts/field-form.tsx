import type { ComponentChildren } from 'preact'
import type { Field, ShownArgumentProblem } from '../../../src/client.ts'
import type { Json } from '../../../src/model/json.ts'
import { isList, isObject, toPointer } from '../../../src/model/json.ts'
import { ListRows, MapRows, ObjectFields, OneOfFields } from './field-groups.tsx'
import {
  ChoiceInput,
  ChoicesInput,
  ConstantInput,
  NumberInput,
  TextInput,
  YesNoInput,
} from './field-input.tsx'
import type { InputProps } from './field-input.tsx'
import { JsonSwitch, JsonText } from './field-json.tsx'
import { isDrawable, replaceLevel, setField, valueIn } from './form-draft.ts'
import type { Draft, Path } from './form-draft.ts'
import { limitsOf, messagesAt } from './form-problems.ts'
import type { FieldExtras, FormUse } from './form-use.ts'
import { chosenVariant } from './form-variant.ts'
import '../style/fields.css'

/**
 * The form of a tree of fields, for tools and for questions. `readDraft` has what it sends.
 *
 * @example
 * const [draft, setDraft] = useState(emptyDraft)
 * <FieldForm id="q1" field={asked.form} draft={draft} onChange={setDraft} problems={problems} />
 */
export function FieldForm({
  field,
  ...use
}: {
  readonly field: Field
  readonly draft: Draft
  readonly onChange: (change: (draft: Draft) => Draft) => void
  readonly problems: readonly ShownArgumentProblem[]
  readonly id: string
}) {
  const form: FormUse = {
    ...use,
    draw: (each, path, extras) => (
      <FieldRow key={toPointer(path)} form={form} field={each} path={path} extras={extras} />
    ),
  }
  const isText = form.draft.texts[''] !== undefined || !isDrawable(field, form.draft.value)
  if (isText || field.kind !== 'object') {
    return <div class="fields">{form.draw({ ...field, title: field.title || 'Arguments' }, [])}</div>
  }
  const inner = drawnBelow(field, form, [])
  return (
    <div class="fields">
      <Messages id={`${form.id}-problem`} messages={messagesAt(form.problems, '', inner)} />
      <ObjectFields form={form} field={field} path={[]} />
    </div>
  )
}

function FieldRow({
  form,
  field,
  path,
  extras = {},
}: {
  readonly form: FormUse
  readonly field: Field
  readonly path: Path
  readonly extras?: FieldExtras | undefined
}) {
  const pointer = toPointer(path)
  const id = `${form.id}${pointer}${extras.isVariant ? '~' : ''}`
  const labelId = `${id}-label`
  const value = valueIn(form.draft.value, path)
  const isText = field.kind === 'json' || form.draft.texts[pointer] !== undefined || !isDrawable(field, value)
  const isNull = value === null && field.isNullable === true
  const isGroup = !isText && groupKinds.has(field.kind) && !isNull
  const messages = messagesAt(form.problems, pointer, isGroup ? drawnBelow(field, form, path) : [])
  const hint = [limitsOf(field), field.description].filter(Boolean).join(' · ')
  const describedBy = [hint && `${id}-hint`, messages.length > 0 && `${id}-problem`].filter(Boolean).join(' ')
  const input: InputProps = {
    field,
    value,
    onValue: (next) => form.onChange((draft) => setField(draft, path, next)),
    id,
    labelId,
    describedBy: describedBy || undefined,
    isInvalid: messages.length > 0,
  }
  const notes = (
    <>
      {hint && (
        <p id={`${id}-hint`} class="field-hint">
          {hint}
        </p>
      )}
      <Messages id={`${id}-problem`} messages={messages} />
    </>
  )
  const tools = (
    <>
      {field.isNullable && <NullSwitch form={form} field={field} path={path} value={value} />}
      {groupKinds.has(field.kind) && !extras.isVariant && path.length > 0 && (
        <JsonSwitch form={form} field={field} path={path} />
      )}
      {extras.actions}
    </>
  )
  if (isGroup) {
    return (
      <div class="field-group" role="group" aria-labelledby={labelId} aria-describedby={input.describedBy}>
        <div class="field-head">
          <span id={labelId} class="field-label">
            <FieldName field={field} label={extras.label} />
          </span>
          {tools}
        </div>
        {notes}
        <Group form={form} field={field} path={path} labelId={labelId} />
      </div>
    )
  }
  return (
    <div class="field">
      <FieldLabel field={field} id={id} labelId={labelId} isText={isText} label={extras.label} />
      <div class="field-value">
        <div class="field-line">
          {isNull && !isText ? (
            <output id={id} class="mono dim">
              null
            </output>
          ) : isText ? (
            <span class="field-texts">
              <JsonText form={form} {...input} path={path} />
            </span>
          ) : (
            <Control {...input} />
          )}
          {tools}
        </div>
        {notes}
      </div>
    </div>
  )
}

const groupKinds: ReadonlySet<Field['kind']> = new Set(['object', 'list', 'map', 'one-of'])

function Group(props: {
  readonly form: FormUse
  readonly field: Field
  readonly path: Path
  readonly labelId: string
}): ComponentChildren {
  const { field, ...rest } = props
  if (field.kind === 'object') return <ObjectFields {...rest} field={field} />
  if (field.kind === 'list') return <ListRows {...rest} field={field} />
  if (field.kind === 'map') return <MapRows {...rest} field={field} />
  return field.kind === 'one-of' ? <OneOfFields {...rest} field={field} /> : null
}

function Control({ field, ...rest }: InputProps): ComponentChildren {
  switch (field.kind) {
    case 'text':
      return <TextInput {...rest} field={field} />
    case 'number':
      return <NumberInput {...rest} field={field} />
    case 'yes-no':
      return <YesNoInput {...rest} field={field} />
    case 'choice':
      return <ChoiceInput {...rest} field={field} />
    case 'choices':
      return <ChoicesInput {...rest} field={field} />
    case 'constant':
      return <ConstantInput {...rest} field={field} />
    default:
      return null
  }
}

/** Labels a control; where the control is a group of boxes, the group refers to the name instead. */
function FieldLabel({
  field,
  id,
  labelId,
  isText,
  label,
}: {
  readonly field: Field
  readonly id: string
  readonly labelId: string
  readonly isText: boolean
  readonly label: ComponentChildren
}) {
  const name = <FieldName field={field} label={label} />
  return !isText && (field.kind === 'yes-no' || field.kind === 'choices') ? (
    <span id={labelId} class="field-label">
      {name}
    </span>
  ) : (
    <label id={labelId} class="field-label" for={id}>
      {name}
    </label>
  )
}

function FieldName({ field, label }: { readonly field: Field; readonly label: ComponentChildren }) {
  if (label !== undefined) return <span class="mono">{label}</span>
  return (
    <>
      {field.title === field.name ? <span class="mono">{field.name}</span> : <span>{field.title}</span>}
      {field.isRequired && (
        <span class="field-needed" title="required">
          *
        </span>
      )}
      {field.title !== field.name && field.name !== '' && <span class="mono dim">{field.name}</span>}
    </>
  )
}

function NullSwitch({
  form,
  field,
  path,
  value,
}: {
  readonly form: FormUse
  readonly field: Field
  readonly path: Path
  readonly value: Json | undefined
}) {
  return (
    <button
      type="button"
      class="field-switch"
      aria-pressed={value === null}
      aria-label={`Send null as ${field.name}`}
      title="Send null"
      onClick={() => form.onChange((draft) => replaceLevel(draft, path, value === null ? undefined : null))}
    >
      null
    </button>
  )
}

function Messages({ id, messages }: { readonly id: string; readonly messages: readonly string[] }) {
  if (messages.length === 0) return null
  return (
    <div id={id} class="field-problem" role="status">
      {messages.map((message) => (
        <p key={message}>{message}</p>
      ))}
    </div>
  )
}

/** The places of the fields that are drawn within a group: their problems stand at them. */
function drawnBelow(field: Field, form: FormUse, path: Path): readonly string[] {
  const value = valueIn(form.draft.value, path)
  const at = (part: string | number) => toPointer([...path, part])
  switch (field.kind) {
    case 'object':
      return field.fields.map(({ name }) => at(name))
    case 'list':
      return isList(value) ? value.map((_, index) => at(index)) : []
    case 'map':
      return isObject(value) ? Object.keys(value).map(at) : []
    case 'one-of': {
      const variant = field.variants[chosenVariant(field, value, form.draft.chosen[toPointer(path)]) ?? -1]
      if (!variant || variant.kind === 'constant') return []
      return variant.kind === 'object' ? drawnBelow(variant, form, path) : [toPointer(path)]
    }
    default:
      return []
  }
}
