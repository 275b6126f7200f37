import { HostError } from '../../model/error.ts'
import { isEqual, isObject, toPointer, valueAt } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import type { Doc, Path } from './doc.ts'
import { notAnObject, refusal } from './text-editor.ts'

/** How a format is read for editing. */
interface Reading {
  readonly parse: (text: string) => Doc
  /** Gives a text that holds no value yet one that can be edited. */
  readonly begin?: (text: string) => string
  /** TOML has no way to write a table that is only implied by others. */
  readonly emptyIsAbsent?: boolean
}

interface Editing extends Reading {
  /** Ways to do it, the one that keeps most of the text first; nothing where a way does not apply. */
  readonly ways: readonly ((text: string) => string | undefined)[]
}

/**
 * Edits a text without its byte order mark and refuses a result that says anything else than was asked for:
 * whatever a text contains, it is changed as intended or not at all.
 */
export function checkedEdit(text: string, path: Path, value: Json | undefined, editing: Editing): string {
  const { mark, body } = opened(text, editing)
  const doc = checkedRead(text, editing)
  if (value === undefined && valueAt(doc.value, path) === undefined) return text
  refuseScalarParents(doc, path)
  const wanted = withChange(doc.value, path, value)
  for (const way of editing.ways) {
    const after = attempt(way, body)
    const result = after === undefined ? undefined : editing.parse(after)
    if (result?.errors.length === 0 && says(result.value ?? {}, wanted, editing)) return `${mark}${after}`
  }
  throw refusal(doc.position(toPointer(path)), 'this place is written in a way that cannot be edited safely')
}

/** A library that gives up on a text, as on an alias whose anchor would go, has not found a way. */
function attempt(way: Editing['ways'][number], body: string): string | undefined {
  try {
    return way(body)
  } catch (error) {
    if (error instanceof HostError) throw error
    return undefined
  }
}

export function checkedRead(text: string, reading: Reading): Doc {
  const doc = reading.parse(opened(text, reading).body)
  const [error] = doc.errors
  if (error) throw refusal(error, error.message)
  return doc
}

function opened(text: string, { begin }: Reading): { readonly mark: string; readonly body: string } {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const body = text.slice(mark.length)
  return { mark, body: begin?.(body) ?? body }
}

function refuseScalarParents(doc: Doc, path: Path): void {
  for (let length = 0; length < path.length; length++) {
    const parent = valueAt(doc.value, path.slice(0, length)) ?? null
    if (parent === null || isObject(parent)) continue
    if (Array.isArray(parent) && /^\d+$/.test(String(path[length]))) continue
    throw notAnObject(doc, path.slice(0, length))
  }
}

/** The same data with one place changed. Absent and `null` parents become objects, as the editors make them. */
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

function says(got: Json, wanted: Json, { emptyIsAbsent }: Editing): boolean {
  return emptyIsAbsent ? isEqual(withoutEmpty(got), withoutEmpty(wanted)) : isEqual(got, wanted)
}

function withoutEmpty(value: Json): Json {
  if (!isObject(value)) return value
  const kept = Object.entries(value)
    .map(([key, item]) => [key, withoutEmpty(item)] as const)
    .filter(([, item]) => !isObject(item) || Object.keys(item).length > 0)
  return Object.fromEntries(kept)
}

/** The value inside an object for each key of the path. */
export function nest(path: Path, value: Json): Json {
  return path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value)
}
