import { loadPatternMatcher } from '../../internal.ts'
import type { Field } from './form.ts'

type TextField = Field & { readonly kind: 'text' }
type NumberField = Field & { readonly kind: 'number' }

/** Looks whether a text fits a pattern; a pattern that cannot be read is left to the server. */
export type Fits = (pattern: string, text: string) => boolean

const formats: Readonly<Record<string, { readonly fits: (text: string) => boolean; readonly such: string }>> =
  {
    email: { fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text), such: 'an email address' },
    uri: { fits: (text) => URL.canParse(text), such: 'a full address such as https://example.com' },
    date: {
      fits: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDate(text),
      such: 'a date such as 2026-03-01',
    },
    'date-time': {
      fits: (text) =>
        /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?$/.test(text) &&
        isDate(text),
      such: 'a date and time such as 2026-03-01T12:00:00Z',
    },
  }

/** What is wrong with a text for this field; what is not required may stay empty. */
export function checkText(field: TextField, text: string, fits: Fits): string | undefined {
  if (text === '' && !field.isRequired) return undefined
  const { least = 0, most = Infinity, format = '', pattern } = field
  const length = Array.from(text).length
  if (text === '' && least === 0) return 'It is required.'
  if (length < least) return `At least ${least} characters.`
  if (length > most) return `At most ${most} characters.`
  const known = Object.hasOwn(formats, format) ? formats[format] : undefined
  if (known && !known.fits(text)) return `It should be ${known.such}.`
  return pattern === undefined || fits(pattern, text) ? undefined : `It should fit ${pattern}`
}

export function checkNumber(field: NumberField, text: string): string | undefined {
  if (text.trim() === '') return field.isRequired ? 'It is required.' : undefined
  const { isInteger, least = -Infinity, most = Infinity } = field
  const value = Number(text)
  if (!Number.isFinite(value)) return 'It should be a number.'
  if (isInteger && !Number.isSafeInteger(value)) return 'It should be a whole number.'
  if (value < least) return `At least ${least}.`
  return value > most ? `At most ${most}.` : undefined
}

export function checkCount(field: Field & { readonly kind: 'choices' }, count: number): string | undefined {
  const { least = 0, most = Infinity } = field
  if (count < Math.max(least, field.isRequired && field.least === undefined ? 1 : 0))
    return `Choose at least ${Math.max(1, least)}.`
  return count > most ? `Choose at most ${most}.` : undefined
}

/** A day that is in no calendar would be taken for one of the next month. */
function isDate(text: string): boolean {
  const day = text.slice(0, 'YYYY-MM-DD'.length)
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(day).toISOString().startsWith(day)
  return isDay && !Number.isNaN(Date.parse(text))
}

/** Loads the engine that arguments are checked with: its time is linear in the text, whatever a server's pattern is. */
export async function loadFits(): Promise<Fits> {
  const createMatcher = await loadPatternMatcher()
  const match = createMatcher(() => undefined)
  return (pattern, text) => match(pattern, text) ?? true
}
