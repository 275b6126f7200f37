import { isObject, isStringArray } from '../../../model/json.ts'
import type { Json, JsonObject } from '../../../model/json.ts'
import { initialAnswer } from '../../../model/answers.ts'
import type { Input } from '../../../model/server.ts'

/** Words of a command line, and the inputs that complete them. */
export interface ArgumentWords {
  readonly words: readonly string[]
  readonly inputs: readonly Input[]
}

/** Whether an input stays unanswered, so that everything it would complete is left out. */
export type IsLeftOut = (id: string) => boolean

const nothing: IsLeftOut = () => false

export function readArguments(list: Json | undefined, isLeftOut = nothing): ArgumentWords {
  const parts = objectsIn(list)
    .map(readArgument)
    .filter(({ inputs }) => !inputs.some(({ id }) => isLeftOut(id)))
  return { words: parts.flatMap(({ words }) => words), inputs: parts.flatMap(({ inputs }) => inputs) }
}

function readArgument(argument: JsonObject, index: number): ArgumentWords {
  const { name, valueHint } = argument
  if (typeof name === 'string') {
    if (isFlag(argument)) return { words: [name], inputs: [] }
    const { text, inputs } = toText(name, argument)
    return { words: [name, text], inputs }
  }
  const id = typeof valueHint === 'string' && valueHint !== '' ? valueHint : `arg${index + 1}`
  const { text, inputs } = toText(id, argument)
  return { words: [text], inputs }
}

const valueKeys = [
  'value',
  'default',
  'choices',
  'valueHint',
  'placeholder',
  'format',
  'isSecret',
  'isRequired',
]

/** Whether a named argument has no value. */
function isFlag(argument: JsonObject): boolean {
  return valueKeys.every((key) => argument[key] === undefined)
}

/** Reads a list of headers or environment variables. */
export function readPairs(
  list: Json | undefined,
  isLeftOut = nothing,
): {
  readonly values: Readonly<Record<string, string>>
  readonly inputs: readonly Input[]
} {
  const pairs = objectsIn(list).flatMap((pair) => {
    const { name } = pair
    const read = typeof name === 'string' ? [{ name, ...toText(name, pair) }] : []
    return read.filter(({ inputs }) => !inputs.some(({ id }) => isLeftOut(id)))
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

/** The fixed value with its variables, or a placeholder to be filled in. */
function toText(id: string, input: JsonObject): { readonly text: string; readonly inputs: readonly Input[] } {
  const { value, isRequired } = input
  if (typeof value === 'string' && value !== '') {
    const variables = readVariables(input['variables'])
    return { text: value, inputs: isRequired === true ? requireAnswers(variables) : variables }
  }
  return { text: `{${id}}`, inputs: [toInput(id, input)] }
}

/** Marks the inputs without a default as required: the text that they complete cannot be left out. */
export function requireAnswers(inputs: readonly Input[]): readonly Input[] {
  return inputs.map((input) => (initialAnswer(input) === undefined ? { ...input, required: true } : input))
}

function toInput(id: string, input: JsonObject): Input {
  const { choices, description } = input
  const fallback = input['default'] ?? input['value']
  return {
    id,
    ...(typeof description === 'string' && description !== '' && { description }),
    ...(input['isRequired'] === true && { required: true }),
    ...(input['isSecret'] === true && { secret: true }),
    ...(input['isRepeated'] === true && { multiple: true }),
    ...(fallback !== undefined && { default: fallback }),
    ...(isStringArray(choices) && { choices }),
  }
}

/** Removes inputs with a repeated id; the first one is kept. */
export function uniqueInputs(inputs: readonly Input[]): readonly Input[] {
  return [...new Map(inputs.toReversed().map((input) => [input.id, input])).values()].toReversed()
}

function objectsIn(list: Json | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? (list as readonly Json[]).filter(isObject) : []
}
