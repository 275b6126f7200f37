import { HostError } from '../../model/error.ts'
import { isEqual, isObject, toPointer, valueAt } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { Doc, Path } from './doc.ts'
import { notAnObject, refusal } from './text-editor.ts'

/** How a format is parsed for editing. */
interface EditableFormat {
  readonly parse: (text: string) => Doc
  /** Adds an empty value to a text that has none, so that it can be edited. */
  readonly ensureRoot?: (text: string) => string
  /** Set for TOML, which cannot express that an implied table is there but empty. */
  readonly emptyIsAbsent?: boolean
}

interface EditPlan extends EditableFormat {
  /** Tried in order, the one that preserves most of the text first; each returns `undefined` if it does not apply. */
  readonly strategies: readonly ((text: string) => string | undefined)[]
}

/**
 * Edits a text (its byte order mark set aside), parses the result and compares it with the intended data. A text is changed
 * exactly as intended or not at all.
 */
export function checkedEdit(text: string, path: Path, value: Json | undefined, plan: EditPlan): string {
  const { mark, body } = splitMark(text, plan)
  const doc = checkedRead(text, plan)
  if (value === undefined && valueAt(doc.value, path) === undefined) return text
  refuseScalarParents(doc, path)
  const wanted = withChange(doc.value, path, value)
  for (const strategy of plan.strategies) {
    const after = tryStrategy(strategy, body)
    const result = after === undefined ? undefined : plan.parse(after)
    if (result?.errors.length === 0 && isSameContent(result.value ?? {}, wanted, plan))
      return `${mark}${after}`
  }
  throw refusal(doc.position(toPointer(path)), 'this place is written in a way that cannot be edited safely')
}

/** Counts an error of the library (such as for an alias whose anchor would be removed) as "does not apply". */
function tryStrategy(strategy: EditPlan['strategies'][number], body: string): string | undefined {
  try {
    return strategy(body)
  } catch (error) {
    if (error instanceof HostError) throw error
    return undefined
  }
}

export function checkedRead(text: string, format: EditableFormat): Doc {
  const doc = format.parse(splitMark(text, format).body)
  const [error] = doc.errors
  if (error) throw refusal(error, error.message)
  return doc
}

function splitMark(
  text: string,
  { ensureRoot }: EditableFormat,
): { readonly mark: string; readonly body: string } {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(mark.length)
  return { mark, body: ensureRoot?.(body) ?? body }
}

function refuseScalarParents(doc: Doc, path: Path): void {
  for (let length = 0; length < path.length; length++) {
    const parent = valueAt(doc.value, path.slice(0, length)) ?? null
    if (parent === null || isObject(parent)) continue
    if (Array.isArray(parent) && /^\d+$/.test(String(path[length]))) continue
    throw notAnObject(doc, path.slice(0, length))
  }
}

/** A copy of the data with one place changed. Absent and `null` parents become objects, as in the edited text. */
function withChange(data: Json | undefined, path: Path, value: Json | undefined): Json {
  const [key, ...rest] = path
  if (key === undefined) return value ?? {}
  if (Array.isArray(data)) {
    const items = [...(data as readonly Json[])]
    const index = Number(key)
    if (rest.length === 0 && value === undefined) items.splice(index, 1)
    else items[index] = rest.length === 0 ? (value ?? null) : withChange(items[index], rest, value)
    return items
  }
  const copy: Record<string, Json> = Object.assign(Object.create(null), isObject(data) ? data : {})
  if (rest.length > 0) copy[key] = withChange(copy[key], rest, value)
  else if (value === undefined) delete copy[key]
  else copy[key] = value
  return copy
}

function isSameContent(got: Json, wanted: Json, { emptyIsAbsent }: EditPlan): boolean {
  return emptyIsAbsent ? isEqual(withoutEmpty(got), withoutEmpty(wanted)) : isEqual(got, wanted)
}

function withoutEmpty(value: Json): Json {
  if (!isObject(value)) return value
  const kept = Object.entries(value)
    .map(([key, item]) => [key, withoutEmpty(item)] as const)
    .filter(([, item]) => !isObject(item) || Object.keys(item).length > 0)
  return Object.fromEntries(kept)
}

/** Wraps the value in one object per key of the path. */
export function nest(path: Path, value: Json): Json {
  return path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value)
}
