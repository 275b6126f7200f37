import { isObject, isStringArray } from '../../../model/json.ts'
import type { Json, JsonObject } from '../../../model/json.ts'
import type { Input } from '../../../model/server.ts'

/** Words of a command line and what a person has to fill in to complete them. */
export interface Words {
  readonly words: readonly string[]
  readonly inputs: readonly Input[]
}

export function readArguments(list: Json | undefined): Words {
  const parts = objectsIn(list).map(readArgument)
  return { words: parts.flatMap(({ words }) => words), inputs: parts.flatMap(({ inputs }) => inputs) }
}

function readArgument(argument: JsonObject, index: number): Words {
  const { name, valueHint } = argument
  if (typeof name === 'string') {
    if (isFlag(argument)) return { words: [name], inputs: [] }
    const { text, inputs } = fill(name, argument)
    return { words: [name, text], inputs }
  }
  const id = typeof valueHint === 'string' && valueHint !== '' ? valueHint : `arg${index + 1}`
  const { text, inputs } = fill(id, argument)
  return { words: [text], inputs }
}

const aboutValue = [
  'value',
  'default',
  'choices',
  'valueHint',
  'placeholder',
  'format',
  'isSecret',
  'isRequired',
]

/** A named argument without anything about its value. */
function isFlag(argument: JsonObject): boolean {
  return aboutValue.every((key) => argument[key] === undefined)
}

/** Headers and variables of the environment. */
export function readPairs(list: Json | undefined): {
  readonly values: Readonly<Record<string, string>>
  readonly inputs: readonly Input[]
} {
  const pairs = objectsIn(list).flatMap((pair) => {
    const { name } = pair
    return typeof name === 'string' ? [{ name, ...fill(name, pair) }] : []
  })
  return {
    values: Object.fromEntries(pairs.map(({ name, text }) => [name, text])),
    inputs: pairs.flatMap(({ inputs }) => inputs),
  }
}

export function readVariables(variables: Json | undefined): readonly Input[] {
  if (!isObject(variables)) return []
  return Object.entries(variables).map(([id, input]) => toInput(id, isObject(input) ? input : {}))
}

/** A fixed text with its variables, or a place to be filled in. */
function fill(id: string, input: JsonObject): { readonly text: string; readonly inputs: readonly Input[] } {
  const { value } = input
  if (typeof value === 'string') return { text: value, inputs: readVariables(input['variables']) }
  return { text: `{${id}}`, inputs: [toInput(id, input)] }
}

function toInput(id: string, input: JsonObject): Input {
  const { choices } = input
  const fallback = input['default'] ?? input['value']
  return {
    id,
    ...(input['isRequired'] === true && { required: true }),
    ...(input['isSecret'] === true && { secret: true }),
    ...(input['isRepeated'] === true && { multiple: true }),
    ...(fallback !== undefined && { default: fallback }),
    ...(isStringArray(choices) && { choices }),
  }
}

/** Of inputs with one id the first counts. */
export function uniqueInputs(inputs: readonly Input[]): readonly Input[] {
  return [...new Map(inputs.toReversed().map((input) => [input.id, input])).values()].toReversed()
}

function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? (list as readonly Json[]).filter(isObject) : []
}
