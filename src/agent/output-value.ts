import { checkArguments } from '../internal.ts'
import { isObject } from '../model/json.ts'
import type { Json, JsonObject } from '../model/json.ts'

/** The value of an answer that has to fit a schema, or what is wrong with it. */
export type OutputValue = { readonly value: Json } | { readonly problem: string }

/** Reads the JSON of an answer: the whole text, or its only code block. */
export async function readOutputValue(text: string, schema: JsonObject): Promise<OutputValue> {
  const value = parse(text) ?? parse(/```(?:json)?\s*\n([^]*?)\n?```/.exec(text)?.[1])
  if (!value) return { problem: 'The answer is not JSON.' }
  const result = isObject(value.json)
    ? await checkArguments(schema, value.json)
    : await checkArguments(wrap(schema), { value: value.json })
  if (result.kind === 'valid') return { value: value.json }
  if (result.kind === 'unchecked') return { problem: `The answer cannot be checked: ${result.reason}.` }
  const problems = result.problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  return { problem: `The answer does not fit the schema: ${problems.join('; ')}.` }
}

function parse(text: string | undefined): { readonly json: Json } | undefined {
  if (text === undefined) return undefined
  try {
    return { json: JSON.parse(text) as Json }
  } catch {
    return undefined
  }
}

/** The checker takes objects; definitions stay where references find them. */
function wrap(schema: JsonObject): JsonObject {
  const { $defs, definitions, ...rest } = schema
  return {
    type: 'object',
    properties: { value: rest },
    required: ['value'],
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  }
}
