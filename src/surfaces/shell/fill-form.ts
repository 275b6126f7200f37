import type { Json, JsonObject } from '../../index.ts'
import { isList } from '../../internal.ts'
import type { FieldOption } from '../api/form-field.ts'
import { checkCount, checkNumber, checkText } from '../facts/forms/check-field.ts'
import type { PatternTest } from '../facts/forms/check-field.ts'
import type { QuestionField } from '../facts/question-form.ts'
import type { Prompts } from '../terminal/terminal-prompts.ts'

const leftOut = '\u0000'

/** Asks for one field after the other. Returns undefined when a question was cancelled. */
export async function fillForm(
  fields: readonly QuestionField[],
  { prompts, matchesPattern }: { readonly prompts: Prompts; readonly matchesPattern: PatternTest },
): Promise<JsonObject | undefined> {
  const content = new Map<string, Json>()
  for (const field of fields) {
    const answer = await askField(field, prompts, matchesPattern)
    if (answer === cancelled) return undefined
    if (answer !== undefined) content.set(field.name, answer)
  }
  return Object.fromEntries(content)
}

const cancelled = Symbol('cancelled')
type FieldAnswer = Json | undefined | typeof cancelled

async function askField(
  field: QuestionField,
  prompts: Prompts,
  matchesPattern: PatternTest,
): Promise<FieldAnswer> {
  const message = labelOf(field)
  switch (field.kind) {
    case 'text': {
      const initial = typeof field.initial === 'string' ? field.initial : ''
      const answer = await prompts.text({
        message,
        initial,
        validate: (text) => checkText(field, text, matchesPattern),
      })
      if (answer.cancelled) return cancelled
      return answer.value === '' && !field.isRequired ? undefined : answer.value
    }
    case 'number': {
      const initial = typeof field.initial === 'number' ? String(field.initial) : ''
      const answer = await prompts.text({ message, initial, validate: (text) => checkNumber(field, text) })
      if (answer.cancelled) return cancelled
      return answer.value.trim() === '' ? undefined : Number(answer.value)
    }
    case 'yes-no':
      return choose(prompts, { message, field, options: yesNo })
    case 'choice':
      return choose(prompts, { message, field, options: field.options })
    case 'choices':
      return chooseSeveral(field, message, prompts)
    default:
      return field satisfies never
  }
}

const yesNo: readonly FieldOption[] = [
  { value: true, title: 'yes' },
  { value: false, title: 'no' },
]

/** Options are chosen by their number: their values need not be texts. */
function toChoices(options: readonly FieldOption[]) {
  return options.map(({ title }, at) => ({ value: String(at), label: title }))
}

function numbersOf(options: readonly FieldOption[], values: readonly Json[]): readonly string[] {
  return options.flatMap(({ value }, at) => (values.includes(value) ? [String(at)] : []))
}

async function choose(
  prompts: Prompts,
  {
    message,
    field,
    options,
  }: { readonly message: string; readonly field: QuestionField; readonly options: readonly FieldOption[] },
): Promise<FieldAnswer> {
  const skip = field.isRequired ? [] : [{ value: leftOut, label: '(skip)' }]
  const [initial] = field.initial === undefined ? [] : numbersOf(options, [field.initial])
  const answer = await prompts.select({
    message,
    choices: [...toChoices(options), ...skip],
    ...(initial !== undefined && { initial }),
  })
  if (answer.cancelled) return cancelled
  return answer.value === leftOut ? undefined : options[Number(answer.value)]?.value
}

async function chooseSeveral(
  field: QuestionField & { readonly kind: 'choices' },
  message: string,
  prompts: Prompts,
): Promise<FieldAnswer> {
  const { options, initial = [] } = field
  let problem = ''
  for (;;) {
    const answer = await prompts.multiselect({
      message: problem === '' ? message : `${message} ${problem}`,
      choices: toChoices(options),
      initial: numbersOf(options, isList(initial) ? initial : []),
    })
    if (answer.cancelled) return cancelled
    const found = checkCount(field, answer.value.length)
    if (found === undefined)
      return answer.value.length === 0 && !field.isRequired
        ? undefined
        : answer.value.flatMap((at) => options[Number(at)]?.value ?? [])
    problem = found
  }
}

function labelOf({ title, description, isRequired }: QuestionField): string {
  const about = description === undefined || description === title ? '' : ` – ${description}`
  return `${title}${isRequired ? '' : ' (optional)'}${about}`
}
