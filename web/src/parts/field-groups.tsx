import { ArrowDown, ArrowUp, Plus, X } from 'lucide-preact'
import { useState } from 'preact/hooks'
import type { Field } from '../../../src/client.ts'
import type { Json } from '../../../src/model/json.ts'
import { isList, isObject, toPointer } from '../../../src/model/json.ts'
import {
  arrangeItems,
  blankValue,
  chooseVariant,
  openText,
  replaceLevel,
  setField,
  valueIn,
} from './form-draft.ts'
import type { Path } from './form-draft.ts'
import { hasProblem } from './form-problems.ts'
import type { FormUse } from './form-use.ts'
import { chosenVariant } from './form-variant.ts'

interface GroupProps<K extends Field['kind']> {
  readonly form: FormUse
  readonly field: Extract<Field, { kind: K }>
  readonly path: Path
}

/** Up to so many optional fields are not folded if nothing is required. */
const fewFields = 4

/** The required fields, then the optional ones, folded unless one of them is in use or wrong. */
export function ObjectFields({
  form,
  field,
  path,
  hasShapeChosen = false,
}: GroupProps<'object'> & {
  /** The constants that tell this shape from others are chosen with it, and not drawn. */
  readonly hasShapeChosen?: boolean
}) {
  const required = field.fields.filter(
    (each) => each.isRequired && !(hasShapeChosen && each.kind === 'constant'),
  )
  const optional = field.fields.filter((each) => !each.isRequired)
  const value = valueIn(form.draft.value, path)
  const isUsed = (each: Field) =>
    valueIn(value, [each.name]) !== undefined || hasProblem(form.problems, toPointer([...path, each.name]))
  const [isOpened, setOpened] = useState(required.length === 0 && optional.length <= fewFields)
  const isOpen = isOpened || optional.some(isUsed)
  return (
    <>
      {required.map((each) => form.draw(each, [...path, each.name]))}
      {optional.length > 0 && (
        <>
          {required.length > 0 || optional.length > fewFields ? (
            <button
              type="button"
              class="field-more"
              aria-expanded={isOpen}
              onClick={() => setOpened(!isOpen)}
            >
              {optional.length} more
              <span class="dim">{optional.map(({ name }) => name).join(', ')}</span>
            </button>
          ) : null}
          {isOpen && optional.map((each) => form.draw(each, [...path, each.name]))}
        </>
      )}
      <UnknownFields form={form} field={field} path={path} />
      {field.fields.length === 0 && !isObject(value) && <p class="dim">Takes no arguments.</p>}
    </>
  )
}

/** Values that the schema has no field for: of an older schema, or written as JSON. They are sent, and can be removed. */
function UnknownFields({ form, field, path }: GroupProps<'object'>) {
  const value = valueIn(form.draft.value, path)
  if (!isObject(value)) return null
  const known = new Set(field.fields.map(({ name }) => name))
  const unknown = Object.keys(value).filter((name) => !known.has(name))
  return unknown.map((name) => (
    <p key={name} class="field-unknown">
      <code>
        {name}: {JSON.stringify(value[name])}
      </code>
      <span class="dim">is sent, and not in the schema</span>
      <button
        type="button"
        class="button is-plain"
        onClick={() => form.onChange((draft) => replaceLevel(draft, [...path, name], undefined))}
      >
        Remove
      </button>
    </p>
  ))
}

export function ListRows({ form, field, path }: GroupProps<'list'>) {
  const value = valueIn(form.draft.value, path)
  const items = isList(value) ? value : []
  const arrange = (order: readonly (number | undefined)[]) =>
    form.onChange((draft) => {
      const now = valueIn(draft.value, path)
      const old = isList(now) ? now : []
      const next = order.map((from) => (from === undefined ? blankValue(field.item) : (old[from] ?? null)))
      if (next.length === 0 && !field.isRequired) return replaceLevel(draft, path, undefined)
      return arrangeItems(draft, path, { items: next, order })
    })
  const indexes = items.map((_, index) => index)
  const isFull = field.max !== undefined && items.length >= field.max
  return (
    <>
      {items.map((_, index) =>
        form.draw(
          { ...field.item, name: `${index}`, title: `${index + 1}`, isRequired: true },
          [...path, index],
          {
            label: `${index + 1}`,
            actions: (
              <RowActions
                name={`${field.name} ${index + 1}`}
                onUp={index === 0 ? undefined : () => arrange(swapped(indexes, index - 1))}
                onDown={index === items.length - 1 ? undefined : () => arrange(swapped(indexes, index))}
                isOnly={items.length === 1}
                onRemove={() => arrange(indexes.filter((each) => each !== index))}
              />
            ),
          },
        ),
      )}
      <p class="field-add">
        <button
          type="button"
          class="button is-plain"
          disabled={isFull}
          aria-label={`Add to ${field.name}`}
          onClick={() => arrange([...indexes, undefined])}
        >
          <Plus size={14} aria-hidden="true" /> Add
        </button>
        {value === undefined && field.initial !== undefined && (
          <span class="dim">default: {JSON.stringify(field.initial)}</span>
        )}
      </p>
    </>
  )
}

function swapped(indexes: readonly number[], at: number): readonly number[] {
  return indexes.map((index) => (index === at ? at + 1 : index === at + 1 ? at : index))
}

function RowActions(props: {
  readonly name: string
  readonly onUp: (() => void) | undefined
  readonly onDown: (() => void) | undefined
  /** There is nothing to move it past. */
  readonly isOnly: boolean
  readonly onRemove: () => void
}) {
  return (
    <span class="field-actions">
      {!props.isOnly && (
        <>
          <button
            type="button"
            class="icon-button"
            aria-label={`Move ${props.name} up`}
            disabled={!props.onUp}
            onClick={props.onUp}
          >
            <ArrowUp size={14} aria-hidden="true" />
          </button>
          <button
            type="button"
            class="icon-button"
            aria-label={`Move ${props.name} down`}
            disabled={!props.onDown}
            onClick={props.onDown}
          >
            <ArrowDown size={14} aria-hidden="true" />
          </button>
        </>
      )}
      <button type="button" class="icon-button" aria-label={`Remove ${props.name}`} onClick={props.onRemove}>
        <X size={14} aria-hidden="true" />
      </button>
    </span>
  )
}

/** Names that the person chooses, each with a value. */
export function MapRows({ form, field, path }: GroupProps<'map'>) {
  const value = valueIn(form.draft.value, path)
  const entries = isObject(value) ? Object.entries(value) : []
  const [added, setAdded] = useState('')
  const isTaken = entries.some(([name]) => name === added)
  const add = () => {
    if (added === '' || isTaken) return
    form.onChange((draft) => setField(draft, [...path, added], blankValue(field.value)))
    setAdded('')
  }
  return (
    <>
      {entries.map(([name]) =>
        form.draw({ ...field.value, name, title: name, isRequired: true }, [...path, name], {
          label: name,
          actions: (
            <span class="field-actions">
              <button
                type="button"
                class="icon-button"
                aria-label={`Remove ${name}`}
                onClick={() => form.onChange((draft) => replaceLevel(draft, [...path, name], undefined))}
              >
                <X size={14} aria-hidden="true" />
              </button>
            </span>
          ),
        }),
      )}
      <p class="field-add">
        <input
          type="text"
          class="mono"
          value={added}
          placeholder="name"
          aria-label={`New name in ${field.name}`}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setAdded(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
            event.preventDefault()
            add()
          }}
        />
        <button type="button" class="button is-plain" disabled={added === '' || isTaken} onClick={add}>
          <Plus size={14} aria-hidden="true" /> Add
        </button>
        {isTaken && <span class="dim">is there already</span>}
      </p>
    </>
  )
}

/** A choice of shapes, then the fields of the chosen one. */
export function OneOfFields({
  form,
  field,
  path,
  labelId,
}: GroupProps<'one-of'> & { readonly labelId: string }) {
  const value: Json | undefined = valueIn(form.draft.value, path)
  const index = chosenVariant(field, value, form.draft.chosen[toPointer(path)])
  const variant = index === undefined ? undefined : field.variants[index]
  const isWhole = variant && (variant.kind === 'object' || variant.kind === 'constant')
  return (
    <>
      <select
        class="field-variant"
        aria-labelledby={labelId}
        value={String(index ?? -1)}
        onChange={(event) => {
          const to = Number(event.currentTarget.value)
          form.onChange((draft) => {
            if (to >= 0) {
              const next = chooseVariant(draft, path, { field, index: to })
              return field.variants[to]?.kind === 'json' ? openText(next, path, undefined) : next
            }
            const { [toPointer(path)]: _removed, ...chosen } = draft.chosen
            return replaceLevel({ ...draft, chosen }, path, undefined)
          })
        }}
      >
        <option value="-1">{field.isRequired ? 'choose a shape' : 'not set'}</option>
        {field.variants.map((each, at) => (
          <option key={at} value={String(at)}>
            {each.title || each.name || `shape ${at + 1}`}
          </option>
        ))}
      </select>
      {variant && variant.kind === 'object' && (
        <ObjectFields form={form} field={variant} path={path} hasShapeChosen />
      )}
      {variant &&
        !isWhole &&
        form.draw({ ...variant, name: field.name, title: variant.title, isRequired: true }, path, {
          label: variant.title || 'value',
          isVariant: true,
        })}
    </>
  )
}
