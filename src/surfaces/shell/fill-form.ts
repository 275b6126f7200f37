import type { Json, JsonObject } from '../../index.ts'
import type { Prompts } from '../terminal/terminal-prompts.ts'
import { checkCount, checkNumber, checkText } from './check-field.ts'
import type { PatternTest } from './check-field.ts'
import type { Field } from './form.ts'

const leftOut = '\u0000'

/** Asks for one field after the other. Returns undefined when a question was cancelled. */
export async function fillForm(
  fields: readonly Field[],
  { prompts, matchesPattern }: { readonly prompts: Prompts; readonly matchesPattern: PatternTest },
): Promise<JsonObject | undefined> {
  const content: Record<string, Json> = {}
  for (const field of fields) {
    const answer = await askField(field, prompts, matchesPattern)
    if (answer === cancelled) return undefined
    if (answer !== undefined) content[field.name] = answer
  }
  return content
}

const cancelled = Symbol('cancelled')
type FieldAnswer = Json | undefined | typeof cancelled

async function askField(field: Field, prompts: Prompts, matchesPattern: PatternTest): Promise<FieldAnswer> {
  const message = labelOf(field)
  switch (field.kind) {
    case 'text': {
      const { initial = '' } = field
      const answer = await prompts.text({
        message,
        initial,
        validate: (text) => checkText(field, text, matchesPattern),
      })
      if (answer.cancelled) return cancelled
      return answer.value === '' && !field.isRequired ? undefined : answer.value
    }
    case 'number': {
      const initial = field.initial === undefined ? '' : String(field.initial)
      const answer = await prompts.text({ message, initial, validate: (text) => checkNumber(field, text) })
      if (answer.cancelled) return cancelled
      return answer.value.trim() === '' ? undefined : Number(answer.value)
    }
    case 'yes-no':
      return toBoolean(
        await choose(prompts, { message, field, options: yesNo, initial: nameOf(field.initial) }),
      )
    case 'choice':
      return choose(prompts, { message, field, options: field.options, initial: field.initial })
    case 'choices':
      return chooseSeveral(field, message, prompts)
    default:
      return field satisfies never
  }
}

const yesNo = [
  { value: 'yes', title: 'yes' },
  { value: 'no', title: 'no' },
]

function nameOf(value: boolean | undefined): string | undefined {
  return value === undefined ? undefined : value ? 'yes' : 'no'
}

function toBoolean(answer: string | undefined | typeof cancelled): FieldAnswer {
  return typeof answer === 'string' ? answer === 'yes' : answer
}

async function choose(
  prompts: Prompts,
  {
    message,
    field,
    options,
    initial,
  }: {
    readonly message: string
    readonly field: Field
    readonly options: readonly { readonly value: string; readonly title: string }[]
    readonly initial: string | undefined
  },
): Promise<string | undefined | typeof cancelled> {
  const choices = options.map(({ value, title }) => ({ value, label: title }))
  const skip = field.isRequired ? [] : [{ value: leftOut, label: '(skip)' }]
  const answer = await prompts.select({
    message,
    choices: [...choices, ...skip],
    ...(initial !== undefined && { initial }),
  })
  if (answer.cancelled) return cancelled
  return answer.value === leftOut ? undefined : answer.value
}

async function chooseSeveral(
  field: Field & { readonly kind: 'choices' },
  message: string,
  prompts: Prompts,
): Promise<FieldAnswer> {
  let problem = ''
  for (;;) {
    const answer = await prompts.multiselect({
      message: problem === '' ? message : `${message} ${problem}`,
      choices: field.options.map(({ value, title }) => ({ value, label: title })),
      initial: field.initial ?? [],
    })
    if (answer.cancelled) return cancelled
    const found = checkCount(field, answer.value.length)
    if (found === undefined) return answer.value.length === 0 && !field.isRequired ? undefined : answer.value
    problem = found
  }
}

function labelOf({ title, description, isRequired }: Field): string {
  const about = description === undefined || description === title ? '' : ` – ${description}`
  return `${title}${isRequired ? '' : ' (optional)'}${about}`
}
