import type { Json, JsonObject } from '../../../index.ts'
import { isList, loadPatternMatcher, toPointer } from '../../../internal.ts'
import type { QuestionField } from '../question-form.ts'

type TextField = QuestionField & { readonly kind: 'text' }
type NumberField = QuestionField & { readonly kind: 'number' }

/** Whether a text matches a pattern. An invalid pattern matches every text: the server has to check that field. */
export type PatternTest = (pattern: string, text: string) => boolean

const formats: Readonly<
  Record<string, { readonly isValid: (text: string) => boolean; readonly expected: string }>
> = {
  email: { isValid: (text) => /^[^\s@]+@[^\s@]+$/.test(text), expected: 'an email address' },
  uri: { isValid: (text) => URL.canParse(text), expected: 'a full address such as https://example.com' },
  date: {
    isValid: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDate(text),
    expected: 'a date such as 2026-03-01',
  },
  'date-time': {
    isValid: (text) =>
      /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?$/.test(text) && isDate(text),
    expected: 'a date and time such as 2026-03-01T12:00:00Z',
  },
}

/** Returns what is wrong with a text for this field. An optional field may stay empty. */
export function checkText(field: TextField, text: string, matchesPattern: PatternTest): string | undefined {
  if (text === '' && !field.isRequired) return undefined
  const { min = 0, max = Infinity, format = '', pattern } = field
  const length = Array.from(text).length
  if (text === '' && min === 0) return 'It is required.'
  if (length < min) return `At least ${min} characters.`
  if (length > max) return `At most ${max} characters.`
  const known = Object.hasOwn(formats, format) ? formats[format] : undefined
  if (known && !known.isValid(text)) return `It should be ${known.expected}.`
  return pattern === undefined || matchesPattern(pattern, text) ? undefined : `It should match ${pattern}`
}

export function checkNumber(field: NumberField, text: string): string | undefined {
  if (text.trim() === '') return field.isRequired ? 'It is required.' : undefined
  const { isInteger, min = -Infinity, max = Infinity } = field
  const value = Number(text)
  if (!Number.isFinite(value)) return 'It should be a number.'
  if (isInteger && !Number.isSafeInteger(value)) return 'It should be a whole number.'
  if (value < min) return `At least ${min}.`
  return value > max ? `At most ${max}.` : undefined
}

export function checkCount(
  field: QuestionField & { readonly kind: 'choices' },
  count: number,
): string | undefined {
  const { min = 0, max = Infinity } = field
  if (count < Math.max(min, field.isRequired && field.min === undefined ? 1 : 0))
    return `Choose at least ${Math.max(1, min)}.`
  return count > max ? `Choose at most ${max}.` : undefined
}

/** `Date.parse` accepts 2026-02-31 as a day in March; comparing with the normalized date rejects it. */
function isDate(text: string): boolean {
  const day = text.slice(0, 'YYYY-MM-DD'.length)
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day)
  return isDay && !Number.isNaN(Date.parse(text))
}

/** Loads the regex engine that also checks tool arguments: it runs in linear time, whatever pattern a server sends. */
export async function loadPatternTest(): Promise<PatternTest> {
  const createMatcher = await loadPatternMatcher()
  const match = createMatcher(() => undefined)
  return (pattern, text) => match(pattern, text) ?? true
}

/** A problem of a filled-in form, with the place of the field. */
export interface FormProblem {
  readonly pointer: string
  readonly message: string
}

/** Checks the answer to a server's question, in the words of the terminal's prompts. */
export async function checkAnswer(
  fields: readonly QuestionField[],
  content: JsonObject,
): Promise<readonly FormProblem[]> {
  const matchesPattern = await loadPatternTest()
  const known = new Set(fields.map(({ name }) => name))
  const foreign = Object.keys(content).filter((name) => !known.has(name))
  return [
    ...fields.flatMap((field) => {
      const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined
      const message = checkValue(field, value, matchesPattern)
      return message === undefined ? [] : [{ pointer: toPointer([field.name]), message }]
    }),
    ...foreign.map((name) => ({ pointer: toPointer([name]), message: 'The form has no such field.' })),
  ]
}

function checkValue(
  field: QuestionField,
  value: Json | undefined,
  matchesPattern: PatternTest,
): string | undefined {
  if (value === undefined) return field.isRequired ? 'It is required.' : undefined
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? checkText(field, value, matchesPattern) : 'It should be a text.'
    case 'number':
      return typeof value === 'number' ? checkNumber(field, String(value)) : 'It should be a number.'
    case 'yes-no':
      return typeof value === 'boolean' ? undefined : 'It should be yes or no.'
    case 'choice':
      return isOffered(field, value) ? undefined : 'Choose one of the options.'
    case 'choices':
      if (!isList(value) || !value.every((each) => isOffered(field, each)))
        return 'Choose some of the options.'
      return checkCount(field, value.length)
    default:
      return field satisfies never
  }
}

function isOffered(
  { options }: QuestionField & { readonly kind: 'choice' | 'choices' },
  value: Json,
): boolean {
  return options.some((option) => option.value === value)
}
