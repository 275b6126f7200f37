import type { Field } from '../../../src/client.ts'
import type { Json, JsonObject } from '../../../src/model/json.ts'
import { isList, isObject, toPointer } from '../../../src/model/json.ts'
import { chosenVariant } from './form-variant.ts'

export type Path = readonly (string | number)[]

/** What a person entered into a form. Plain data: it is stored and read again. */
export interface Draft {
  /** Absent: nothing was entered. Fields that were not touched are absent, so that defaults are not sent. */
  readonly value?: Json | undefined
  /** Texts by pointer: those levels are edited as JSON. `value` has the last text that could be parsed. */
  readonly texts: Readonly<Record<string, string>>
  /** The chosen variant by pointer, where a field has several shapes. */
  readonly chosen: Readonly<Record<string, number>>
}

export const emptyDraft: Draft = { texts: {}, chosen: {} }

export function draftOf(value: Json | undefined): Draft {
  return { ...emptyDraft, value }
}

/** Sets or, with `undefined`, removes the value of a field. Objects that become empty are removed with it. */
export function setField(draft: Draft, path: Path, value: Json | undefined): Draft {
  return { ...draft, value: withValue(draft.value, path, value) }
}

/** Replaces a whole level: what was chosen or written as JSON below it counts no longer. */
export function replaceLevel(draft: Draft, path: Path, value: Json | undefined): Draft {
  const isAbove = (pointer: string) => !isBelow(pointer, toPointer(path))
  return {
    value: withValue(draft.value, path, value),
    texts: filterKeys(draft.texts, isAbove),
    chosen: filterKeys(draft.chosen, isAbove),
  }
}

/** Opens a level as JSON. */
export function openText(draft: Draft, path: Path, shown: Json | undefined): Draft {
  const text = shown === undefined ? '' : JSON.stringify(shown, null, 2)
  const pointer = toPointer(path)
  const texts = filterKeys(draft.texts, (each) => !isBelow(each, pointer))
  return { ...draft, texts: { ...texts, [pointer]: text } }
}

/** Shows a level as a form again. The caller has checked that its text can be parsed. */
export function closeText(draft: Draft, path: Path): Draft {
  const pointer = toPointer(path)
  return { ...draft, texts: filterKeys(draft.texts, (each) => each !== pointer) }
}

/** Takes a text typed as JSON; an empty one removes the value. A text that cannot be parsed is kept, and is a problem. */
export function writeText(draft: Draft, path: Path, text: string): Draft {
  const pointer = toPointer(path)
  const parsed = parseText(text)
  const next = 'problem' in parsed ? draft : replaceLevel(draft, path, parsed.value)
  return { ...next, texts: { ...next.texts, [pointer]: text } }
}

export function parseText(text: string): { readonly value: Json | undefined } | { readonly problem: string } {
  if (text.trim() === '') return { value: undefined }
  try {
    return { value: JSON.parse(text) as Json } // the result of JSON.parse
  } catch (error) {
    return { problem: `is not JSON: ${error instanceof Error ? error.message : 'it cannot be parsed'}` }
  }
}

/** Changes the rows of a list: `order` has the old index of each new row, or `undefined` for a new one. */
export function arrangeItems(
  draft: Draft,
  path: Path,
  { items, order }: { readonly items: readonly Json[]; readonly order: readonly (number | undefined)[] },
): Draft {
  const pointer = toPointer(path)
  return {
    value: withValue(draft.value, path, items),
    texts: moveKeys(draft.texts, pointer, order),
    chosen: moveKeys(draft.chosen, pointer, order),
  }
}

/** Picks a variant of a field with several shapes; fields that both shapes have keep their values. */
export function chooseVariant(
  draft: Draft,
  path: Path,
  { field, index }: { readonly field: Extract<Field, { kind: 'one-of' }>; readonly index: number },
): Draft {
  const variant = field.variants[index]
  if (!variant) return draft
  const next = replaceLevel(draft, path, carriedValue(variant, valueIn(draft.value, path)))
  return { ...next, chosen: { ...next.chosen, [toPointer(path)]: index } }
}

/** The arguments that a draft sends: what was entered, with the constants and the objects that must be there. */
export function readDraft(field: Field, draft: Draft): Json | undefined {
  return compose(field, draft.value, { draft, path: [] })
}

/** The texts that are not JSON, as problems at their fields. */
export function textProblems(
  draft: Draft,
): readonly { readonly pointer: string; readonly message: string }[] {
  return Object.entries(draft.texts).flatMap(([pointer, text]) => {
    const parsed = parseText(text)
    return 'problem' in parsed ? [{ pointer, message: parsed.problem }] : []
  })
}

/** The value of a new row of a list. */
export function blankValue(field: Field): Json {
  if (field.initial !== undefined) return field.initial
  switch (field.kind) {
    case 'text':
    case 'number':
      return ''
    case 'yes-no':
      return false
    case 'choice':
      return field.options[0]?.value ?? null
    case 'constant':
      return field.value
    case 'choices':
    case 'list':
      return []
    case 'object':
    case 'map':
      return {}
    case 'one-of':
      return field.variants[0] ? blankValue(field.variants[0]) : null
    case 'json':
      return field.example ?? null
  }
}

/** Whether the form can show a value; another one is shown as JSON. */
export function isDrawable(field: Field, value: Json | undefined): boolean {
  if (value === undefined) return true
  if (value === null && field.isNullable) return true
  switch (field.kind) {
    case 'object':
    case 'map':
      return isObject(value)
    case 'list':
    case 'choices':
      return isList(value)
    case 'text':
    case 'number':
      return typeof value === 'string' || typeof value === 'number'
    case 'yes-no':
      return typeof value === 'boolean'
    case 'choice':
    case 'one-of':
    case 'constant':
    case 'json':
      return true
  }
}

function compose(
  field: Field,
  value: Json | undefined,
  at: { readonly draft: Draft; readonly path: Path },
): Json | undefined {
  if (at.draft.texts[toPointer(at.path)] !== undefined || value === null) return value
  const within = (sub: Field, part: string | number, inner: Json | undefined) =>
    compose(sub, inner, { ...at, path: [...at.path, part] })
  switch (field.kind) {
    case 'object':
      return composeObject(field, value, within)
    case 'list':
      return isList(value) ? value.map((item, index) => within(field.item, index, item) ?? null) : value
    case 'map':
      if (!isObject(value)) return value
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, within(field.value, name, inner) ?? null]),
      )
    case 'one-of': {
      const variant = field.variants[chosenVariant(field, value, at.draft.chosen[toPointer(at.path)]) ?? -1]
      return variant ? compose({ ...variant, isRequired: field.isRequired }, value, at) : value
    }
    case 'constant':
      return field.isRequired ? field.value : value
    default:
      return value
  }
}

function composeObject(
  field: Extract<Field, { kind: 'object' }>,
  value: Json | undefined,
  within: (sub: Field, part: string, inner: Json | undefined) => Json | undefined,
): Json | undefined {
  if (value === undefined && !field.isRequired) return undefined
  if (value !== undefined && !isObject(value)) return value
  const given: JsonObject = value ?? {}
  const known = field.fields.flatMap((sub): [string, Json][] => {
    const inner = within(sub, sub.name, ownValue(given, sub.name))
    return inner === undefined ? [] : [[sub.name, inner]]
  })
  return Object.fromEntries([...Object.entries(given), ...known])
}

/** What of a value another shape can take: constants of its own, and the fields that it has too. */
function carriedValue(variant: Field, value: Json | undefined): Json | undefined {
  if (variant.kind === 'constant') return variant.value
  if (variant.kind !== 'object') {
    return value !== undefined && typeof value !== 'object' && isDrawable(variant, value) ? value : undefined
  }
  const given = isObject(value) ? value : {}
  const kept = variant.fields.flatMap((sub): [string, Json][] => {
    if (sub.kind === 'constant') return sub.isRequired ? [[sub.name, sub.value]] : []
    const inner = ownValue(given, sub.name)
    return inner === undefined ? [] : [[sub.name, inner]]
  })
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

export function valueIn(value: Json | undefined, path: Path): Json | undefined {
  let current = value
  for (const part of path) {
    if (isList(current)) current = current[Number(part)]
    else if (isObject(current)) current = ownValue(current, String(part))
    else return undefined
  }
  return current
}

function ownValue(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

function withValue(current: Json | undefined, path: Path, value: Json | undefined): Json | undefined {
  const [part, ...rest] = path
  if (part === undefined) return value
  if (typeof part === 'number') {
    const items = isList(current) ? [...current] : []
    items[part] = withValue(items[part], rest, value) ?? emptied(items[part])
    return items
  }
  const given = isObject(current) ? current : {}
  const inner = withValue(ownValue(given, part), rest, value)
  if (inner !== undefined) return { ...given, [part]: inner }
  const { [part]: _removed, ...others } = given
  return Object.keys(others).length === 0 ? undefined : others
}

/** What a row of a list becomes when its value is removed; the row itself stays. */
function emptied(before: Json | undefined): Json {
  if (isObject(before)) return {}
  return isList(before) ? [] : ''
}

function isBelow(pointer: string, level: string): boolean {
  return pointer === level || pointer.startsWith(`${level}/`)
}

function filterKeys<T>(
  record: Readonly<Record<string, T>>,
  keep: (key: string) => boolean,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => keep(key)))
}

function moveKeys<T>(
  record: Readonly<Record<string, T>>,
  level: string,
  order: readonly (number | undefined)[],
): Readonly<Record<string, T>> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]): [string, T][] => {
      if (!key.startsWith(`${level}/`)) return [[key, value]]
      const [index = '', ...rest] = key.slice(level.length + 1).split('/')
      const to = order.indexOf(Number(index))
      return to === -1 ? [] : [[[level, String(to), ...rest].join('/'), value]]
    }),
  )
}
