import type { Json, JsonObject } from '../../index.ts'
import { isObject } from '../../internal.ts'
import type { Field } from '../api/form-field.ts'
import { toForm } from './forms/form-fields.ts'
import { wordFor } from './forms/form-options.ts'

/** A field of a server's question. The protocol allows only flat forms of plain values. */
export type QuestionField = Extract<
  Field,
  { readonly kind: 'text' | 'number' | 'yes-no' | 'choice' | 'choices' }
>

const limits = { depth: 1, fields: 50 } as const

/** Reads the fields of a server's question, or returns why it cannot be shown. */
export function readQuestionForm(schema: JsonObject): readonly QuestionField[] | string {
  const { type = 'object', properties } = schema
  if (type !== 'object' || !isObject(properties)) return 'its schema does not describe a form'
  const form = toForm({ ...schema, type }, limits)
  if (form.kind === 'json') return `it ${form.reason ?? 'cannot be read'}`
  if (form.kind !== 'object') return 'its schema does not describe a form'
  const fields: QuestionField[] = []
  for (const each of form.fields) {
    // The answer needs the name as it is, so it cannot be shown without them.
    if (hasControls(each.name))
      return `the name of its field ${JSON.stringify(each.name)} has control characters`
    const field = toFlat(each)
    if (!field) return `its field ${JSON.stringify(each.name)} ${whyNot(properties[each.name])}`
    fields.push(field)
  }
  return fields
}

function hasControls(name: string): boolean {
  return /\p{Cc}/u.test(name)
}

function toFlat(field: Field): QuestionField | undefined {
  switch (field.kind) {
    case 'text':
    case 'number':
    case 'yes-no':
    case 'choice':
    case 'choices':
      return field
    case 'constant': {
      // Nothing is sent that the person did not choose.
      const { value, ...base } = field
      return { ...base, kind: 'choice', options: [{ value, title: wordFor(value) }] }
    }
    default:
      return undefined
  }
}

function whyNot(definition: Json | undefined): string {
  if (!isObject(definition)) return 'has no schema'
  const { type = null, enum: values, oneOf } = definition
  const offers = type === 'array' || (type === 'string' && (values !== undefined || oneOf !== undefined))
  if (offers) return 'has no text options to choose from'
  return `has a type that forms do not support (${JSON.stringify(type)})`
}
