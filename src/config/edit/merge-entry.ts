import { isEqual, isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Path } from '../../sources/formats/doc.ts'
import type { Editor } from '../../sources/formats/text-editor.ts'
import { endpointKeys } from '../../sources/entries/write-endpoint.ts'
import type { WriteTarget } from '../../sources/entries/write-rules.ts'

interface Change {
  readonly from: JsonObject
  readonly to: JsonObject
  /** Other keys that go. */
  readonly cleared: readonly string[]
}

/** Turns an entry into another one key by key, so that comments and order inside it survive. */
export function mergeEntry(
  text: string,
  path: Path,
  { from, to, cleared }: Change,
  { editor, writing }: { readonly editor: Editor; readonly writing: WriteTarget },
): string {
  const { rules, own } = writing
  const nested = rules.nestedUnder === undefined ? [] : [rules.nestedUnder]
  const gone = [...endpointKeys(rules), ...nested, ...(own.valueKeys ?? []), ...cleared]
  return mergeKeys(text, path, { from, to, gone: gone.filter((key) => Object.hasOwn(from, key)) }, editor)
}

/** Turns a value into another one where it stands. */
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

/** New keys first: an entry that is never empty keeps its form. */
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
