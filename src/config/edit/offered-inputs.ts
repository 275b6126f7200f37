import { initialAnswer } from '../../model/answers.ts'
import type { Answers, SecretVariable } from '../../model/answers.ts'
import type { Input, Server } from '../../model/server.ts'
import { parseTemplate } from '../../sources/entries/template.ts'
import type { ValueRules } from '../../sources/entries/template.ts'

/** The variables of the secrets. An optional secret has none if an empty value in its place would not do. */
export function secretVariables(
  { transport, inputs = [] }: Server,
  name: string,
  rules: ValueRules,
): readonly SecretVariable[] {
  const places = Object.entries(transport.env ?? {}).flatMap(([variable, value]) => {
    const [part, ...more] = typeof value === 'string' ? parseTemplate(value, rules) : []
    return part?.kind === 'input' && more.length === 0 ? [{ id: part.id, variable }] : []
  })
  return inputs.flatMap((input) => {
    const { id, secret, required = false } = input
    if (!secret) return []
    const own = places.filter((place) => place.id === id).map(({ variable }) => variable)
    const isEmptyAllowed = own.length > 0 || initialAnswer(input) !== undefined
    if (!required && !isEmptyAllowed) return []
    const isNeeded = required && initialAnswer(input) === undefined
    return [{ id, name: own.find(isDistinct) ?? variableFor(name, id), required: isNeeded }]
  })
}

/** Words that say nothing about the server: a shell may hold a variable made of them for something else. */
const commonWords = new Set(
  (
    'ACCESS ACCOUNT ADMIN API APIKEY APP AUTH AUTHORIZATION BASE BEARER CLIENT CONNECTION CREDENTIAL CREDENTIALS ' +
    'DATABASE DB EMAIL HOST HTTP HTTPS ID KEY LOGIN MCP NAME OAUTH PASS PASSWD PASSWORD PAT PERSONAL PORT PRIVATE ' +
    'PROXY PUBLIC PWD REFRESH SECRET SERVER SERVICE SESSION STRING TOKEN URI URL USER USERNAME WEBHOOK X'
  ).split(' '),
)

function isDistinct(variable: string): boolean {
  return !variable
    .toUpperCase()
    .split('_')
    .every((word) => word === '' || commonWords.has(word))
}

/** `<SERVER>_<KEY>`; a key that starts with the server's name keeps it once. */
function variableFor(server: string, id: string): string {
  const [prefix, key] = [toWord(server), toWord(id)]
  const name = key === prefix || key.startsWith(`${prefix}_`) ? key : `${prefix}_${key}`
  return /^\d/.test(name) ? `_${name}` : name
}

function toWord(text: string): string {
  return text
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toUpperCase()
}

/** The answers, completed with references to the variables of secrets and with defaults. */
export function completeAnswers(
  inputs: readonly Input[],
  answers: Answers,
  variables: readonly SecretVariable[],
): Answers {
  const completed = inputs.flatMap((input): readonly (readonly [string, Answers[string]])[] => {
    const variable = variables.find(({ id }) => id === input.id)
    const answer = answers[input.id] ?? (variable ? referenceTo(variable, input) : initialAnswer(input))
    return answer === undefined ? [] : [[input.id, answer]]
  })
  return { ...answers, ...Object.fromEntries(completed) }
}

/** The inputs whose answer is a text of the file: its default, or one of its choices. */
export function literalInputs(inputs: readonly Input[], answers: Answers): ReadonlySet<string> {
  const isOfFile = (input: Input) => {
    const initial = initialAnswer(input)
    const texts = [initial ?? [], input.choices ?? []].flat()
    const answer = [answers[input.id] ?? []].flat()
    const joined = answer.join(',')
    return joined === [initial ?? []].flat().join(',') || answer.some((text) => texts.includes(text))
  }
  return new Set(inputs.filter(isOfFile).map(({ id }) => id))
}

function referenceTo({ name, required }: SecretVariable, input: Input): string {
  if (required) return `\${${name}}`
  const fallback = initialAnswer(input) ?? ''
  // A brace would end the placeholder too early.
  return typeof fallback === 'string' && !/[{}]/.test(fallback) ? `\${${name}:-${fallback}}` : `\${${name}:-}`
}
