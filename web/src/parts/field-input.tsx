import { useState } from 'preact/hooks'
import type { Field } from '../../../src/client.ts'
import type { Json } from '../../../src/model/json.ts'
import { isEqual, isList } from '../../../src/model/json.ts'
import { placeholderOf, toNumber, toText } from './field-text.ts'

/** One control: its value, how it is named and described, and what it calls when it is changed. */
export interface InputProps<F extends Field = Field> {
  readonly field: F
  readonly value: Json | undefined
  /** With `undefined` the field is not sent. */
  readonly onValue: (value: Json | undefined) => void
  readonly id: string
  readonly labelId: string
  readonly describedBy: string | undefined
  readonly isInvalid: boolean
}

type Of<K extends Field['kind']> = Extract<Field, { kind: K }>

export function TextInput({ field, value, onValue, id, describedBy, isInvalid }: InputProps<Of<'text'>>) {
  const text = toText(value)
  const shared = {
    id,
    value: text,
    placeholder: placeholderOf(field),
    'aria-describedby': describedBy,
    'aria-invalid': isInvalid,
    'aria-required': field.isRequired,
    spellcheck: false,
    autocomplete: 'off',
  }
  const type = field.format === undefined || text.includes('\n') ? undefined : inputTypes[field.format]
  if (type !== undefined) {
    return <input {...shared} type={type} onInput={(event) => onValue(orAbsent(event.currentTarget.value))} />
  }
  return (
    <textarea
      {...shared}
      class="field-text"
      rows={Math.min(Math.max(text.split('\n').length, field.isLong ? 3 : 1), 12)}
      onInput={(event) => onValue(orAbsent(event.currentTarget.value))}
    />
  )
}

/** Formats for which a browser has a control of its own. `date-time` is not among them: its control drops the time zone. */
const inputTypes: Readonly<Record<string, string | undefined>> = {
  date: 'date',
  email: 'email',
  uri: 'url',
  password: 'password',
}

export function NumberInput({ field, value, onValue, id, describedBy, isInvalid }: InputProps<Of<'number'>>) {
  const [typed, setTyped] = useState('')
  // The text as typed is kept while it means the value: `1.0` on the way to `1.05` must not become `1`.
  const text = isEqual(toNumber(typed), value) ? typed : toText(value)
  return (
    <input
      id={id}
      type="text"
      inputMode={field.isInteger && (field.min ?? -1) >= 0 ? 'numeric' : 'text'}
      class="field-number"
      value={text}
      placeholder={placeholderOf(field)}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      aria-required={field.isRequired}
      autocomplete="off"
      onInput={(event) => {
        setTyped(event.currentTarget.value)
        onValue(toNumber(event.currentTarget.value))
      }}
    />
  )
}

export function YesNoInput({
  field,
  value,
  onValue,
  id,
  labelId,
  describedBy,
  isInvalid,
}: InputProps<Of<'yes-no'>>) {
  const choices: readonly (readonly [label: string, value: boolean | undefined])[] = [
    ['yes', true],
    ['no', false],
    [
      field.initial === undefined ? 'not set' : `default: ${field.initial === true ? 'yes' : 'no'}`,
      undefined,
    ],
  ]
  return (
    <span
      class="field-radios"
      role="radiogroup"
      aria-labelledby={labelId}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      aria-required={field.isRequired}
    >
      {choices.map(([label, choice], index) => (
        <label key={label}>
          <input
            type="radio"
            id={index === 0 ? id : undefined}
            name={id}
            checked={value === choice}
            onChange={() => onValue(choice)}
          />
          <span class={choice === undefined ? 'dim' : ''}>{label}</span>
        </label>
      ))}
    </span>
  )
}

export function ChoiceInput({ field, value, onValue, id, describedBy, isInvalid }: InputProps<Of<'choice'>>) {
  const at = field.options.findIndex((option) => isEqual(option.value, value))
  const isOther = value !== undefined && at === -1
  return (
    <select
      id={id}
      value={isOther ? 'other' : String(at)}
      aria-describedby={describedBy}
      aria-invalid={isInvalid}
      aria-required={field.isRequired}
      onChange={(event) => onValue(field.options[Number(event.currentTarget.value)]?.value)}
    >
      <option value="-1">{placeholderOf(field) || 'not set'}</option>
      {isOther && <option value="other">{JSON.stringify(value)}</option>}
      {field.options.map((option, index) => (
        <option key={index} value={String(index)}>
          {option.title}
        </option>
      ))}
    </select>
  )
}

export function ChoicesInput({ field, value, onValue, id, labelId, describedBy }: InputProps<Of<'choices'>>) {
  const chosen = isList(value) ? value : []
  const toggle = (option: Json, isOn: boolean) => {
    const others = chosen.filter((each) => !isEqual(each, option))
    const next = isOn ? [...others, option] : others
    onValue(next.length === 0 && !field.isRequired ? undefined : next)
  }
  return (
    <span class="field-checks" role="group" aria-labelledby={labelId} aria-describedby={describedBy}>
      {field.options.map((option, index) => (
        <label key={index}>
          <input
            type="checkbox"
            id={index === 0 ? id : undefined}
            checked={chosen.some((each) => isEqual(each, option.value))}
            onChange={(event) => toggle(option.value, event.currentTarget.checked)}
          />
          <span>{option.title}</span>
        </label>
      ))}
      {value === undefined && field.initial !== undefined && (
        <span class="dim">default: {JSON.stringify(field.initial)}</span>
      )}
    </span>
  )
}

/** A required constant is sent as it is; an optional one is sent if the box is checked. */
export function ConstantInput({ field, value, onValue, id, describedBy }: InputProps<Of<'constant'>>) {
  if (field.isRequired) {
    return (
      <output id={id} class="mono dim" aria-describedby={describedBy}>
        {JSON.stringify(field.value)}
      </output>
    )
  }
  return (
    <span class="field-checks">
      <label>
        <input
          id={id}
          type="checkbox"
          checked={value !== undefined}
          onChange={(event) => onValue(event.currentTarget.checked ? field.value : undefined)}
        />
        <span class="mono">{JSON.stringify(field.value)}</span>
      </label>
    </span>
  )
}

function orAbsent(text: string): string | undefined {
  return text === '' ? undefined : text
}
