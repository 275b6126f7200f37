import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Input } from '../../model/server.ts'
import type { OpenText } from './edit-source-file.ts'
import { toDefinition } from '../../sources/clients/editor-inputs.ts'
import type { Lost, NewServer } from '../../sources/entries/write-rules.ts'

/** What a server asks a person for, said where its file says that; a definition that is there already counts. */
export function writeInputs(
  text: string,
  { inputs = [] }: NewServer,
  { editor, writing: { own } }: OpenText,
): { readonly text: string; readonly lost: readonly Lost[] } {
  const { inputsKey: key } = own
  if (inputs.length === 0) return { text, lost: [] }
  if (key === undefined) return { text, lost: inputs.map(notDefined) }
  const { value } = editor.read(text)
  const list = isObject(value) ? (value[key] ?? []) : []
  if (!Array.isArray(list)) return { text, lost: inputs.map(notDefined) }
  const known = list as readonly Json[] // Array.isArray does not narrow a readonly union
  const added = inputs
    .filter(({ id }) => !known.some((item) => isObject(item) && item['id'] === id))
    .map(toDefinition)
  if (known.length === 0 && added.length > 0) return { text: editor.setIn(text, [key], added), lost: [] }
  const append = (before: string, item: JsonObject, index: number) =>
    editor.setIn(before, [key, known.length + index], item)
  return { text: added.reduce(append, text), lost: [] }
}

function notDefined({ id, description, secret }: Input): Lost {
  const what = [description ?? [], secret ? 'a secret' : []].flat().join(', ')
  return {
    field: `inputs.${id}`,
    reason: `There is no place to say what it is${what && ` (${what})`}. Give the value when the server starts, or write a variable instead of \${input:${id}}.`,
  }
}
