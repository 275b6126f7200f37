import { isEqual, isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Path } from '../../sources/formats/doc.ts'
import type { Editor } from '../../sources/formats/text-editor.ts'
import { endpointKeys } from '../../sources/entries/write-endpoint.ts'
import type { WriteTarget } from '../../sources/entries/write-rules.ts'

interface EntryChange {
  readonly from: JsonObject
  readonly to: JsonObject
  /** Further keys to remove. */
  readonly cleared: readonly string[]
}

/** Changes an entry key by key, so that comments and the order of keys survive. */
export function mergeEntry(
  text: string,
  path: Path,
  { from, to, cleared }: EntryChange,
  { editor, writing }: { readonly editor: Editor; readonly writing: WriteTarget },
): string {
  const { rules, own } = writing
  const nested = rules.nestedUnder === undefined ? [] : [rules.nestedUnder]
  const gone = [...endpointKeys(rules), ...nested, ...(own.valueKeys ?? []), ...cleared]
  return mergeKeys(text, path, { from, to, gone: gone.filter((key) => Object.hasOwn(from, key)) }, editor)
}

/** Changes a value in place. */
export function mergeValue(
  text: string,
  path: Path,
  from: Json | undefined,
  to: Json,
  editor: Editor,
): string {
  if (isEqual(from, to)) return text
  if (!isObject(from) || !isObject(to)) return editor.setIn(text, path, to)
  return mergeKeys(text, path, { from, to, gone: Object.keys(from) }, editor)
}

/** Sets keys before removing others: an object that becomes empty in between would lose its layout. */
function mergeKeys(
  text: string,
  path: Path,
  {
    from,
    to,
    gone,
  }: { readonly from: JsonObject; readonly to: JsonObject; readonly gone: readonly string[] },
  editor: Editor,
): string {
  const merged = Object.entries(to).reduce(
    (result, [key, value]) => mergeValue(result, [...path, key], from[key], value, editor),
    text,
  )
  return gone
    .filter((key) => !Object.hasOwn(to, key))
    .reduce((result, key) => editor.removeIn(result, [...path, key]), merged)
}
