import { assert, dictionary, jsonValue, property, string } from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../index.ts'
import { checkCount, checkNumber, checkText, loadPatternTest } from './forms/check-field.ts'
import { readQuestionForm } from './question-form.ts'
import type { QuestionField } from './question-form.ts'

const object = (properties: JsonObject, required: readonly string[] = []) => ({
  type: 'object',
  properties,
  required,
})

describe('readQuestionForm', () => {
  test('reads all kinds of fields', () => {
    const schema = object(
      {
        name: {
          type: 'string',
          title: 'Name',
          description: 'Yours',
          minLength: 1,
          maxLength: 9,
          pattern: '^a',
          format: 'email',
          default: 'a@b',
        },
        age: { type: 'integer', minimum: 0, maximum: 99, default: 7 },
        share: { type: 'number' },
        ok: { type: 'boolean', default: false },
        color: { type: 'string', enum: ['r', 'g'], enumNames: ['Red', 'Green'], default: 'g' },
        size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }, { const: 'l' }] },
        extras: {
          type: 'array',
          items: { type: 'string', enum: ['a', 'b'] },
          minItems: 1,
          maxItems: 2,
          default: ['a', 1],
        },
        others: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] } },
      },
      ['name'],
    )
    expect(readQuestionForm(schema)).toEqual([
      {
        kind: 'text',
        name: 'name',
        title: 'Name',
        description: 'Yours',
        isRequired: true,
        min: 1,
        max: 9,
        pattern: '^a',
        format: 'email',
        initial: 'a@b',
      },
      {
        kind: 'number',
        name: 'age',
        title: 'age',
        isRequired: false,
        isInteger: true,
        min: 0,
        max: 99,
        initial: 7,
      },
      { kind: 'number', name: 'share', title: 'share', isRequired: false, isInteger: false },
      { kind: 'yes-no', name: 'ok', title: 'ok', isRequired: false, initial: false },
      {
        kind: 'choice',
        name: 'color',
        title: 'color',
        isRequired: false,
        options: [
          { value: 'r', title: 'Red' },
          { value: 'g', title: 'Green' },
        ],
        initial: 'g',
      },
      {
        kind: 'choice',
        name: 'size',
        title: 'size',
        isRequired: false,
        options: [
          { value: 's', title: 'Small' },
          { value: 'l', title: 'l' },
        ],
      },
      {
        kind: 'choices',
        name: 'extras',
        title: 'extras',
        isRequired: false,
        options: [
          { value: 'a', title: 'a' },
          { value: 'b', title: 'b' },
        ],
        min: 1,
        max: 2,
        initial: ['a'],
      },
      {
        kind: 'choices',
        name: 'others',
        title: 'others',
        isRequired: false,
        options: [{ value: 'x', title: 'X' }],
      },
    ])
  })

  test.each<readonly [JsonObject, string]>([
    [{}, 'its schema does not describe a form'],
    [{ type: 'array', properties: {} }, 'its schema does not describe a form'],
    [object({ a: 1 }), 'its field "a" has no schema'],
    [object({ a: { type: 'object' } }), 'its field "a" has a type that forms do not support ("object")'],
    [object({ a: {} }), 'its field "a" has a type that forms do not support (null)'],
    [object({ a: { type: 'string', enum: [1] } }), 'its field "a" has no text options to choose from'],
    [object({ a: { type: 'array' } }), 'its field "a" has no text options to choose from'],
    [
      object(Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`f${at}`, { type: 'string' }]))),
      'it has 51 fields',
    ],
  ])('rejects %j', (schema, why) => {
    expect(readQuestionForm(schema)).toBe(why)
  })

  test('never throws, whatever a server sends', () => {
    assert(
      property(dictionary(string(), jsonValue()), (properties) => {
        const found = readQuestionForm({ type: 'object', properties: properties as JsonObject }) // what JSON can hold
        expect(typeof found === 'string' || found.length === Object.keys(properties).length).toBe(true)
      }),
    )
  })
})

describe('field checks', () => {
  const text = (more: object) =>
    ({ kind: 'text', name: 'a', title: 'a', isRequired: true, ...more }) as QuestionField & { kind: 'text' } // the rest is optional
  const number = (more: object) =>
    ({
      kind: 'number',
      name: 'a',
      title: 'a',
      isRequired: true,
      isInteger: false,
      ...more,
    }) as QuestionField & {
      kind: 'number'
    }

  test.each([
    [{}, '', 'It is required.'],
    [{ isRequired: false }, '', undefined],
    [{ min: 2 }, 'a', 'At least 2 characters.'],
    [{ max: 2 }, 'abc', 'At most 2 characters.'],
    [{ max: 2 }, '👍👍', undefined],
    [{ format: 'email' }, 'ann', 'It should be an email address.'],
    [{ format: 'uri' }, 'example.com', 'It should be a full address such as https://example.com.'],
    [{ format: 'date' }, '2026-13-01', 'It should be a date such as 2026-03-01.'],
    [{ format: 'date' }, '2026-02-31', 'It should be a date such as 2026-03-01.'],
    [{ format: 'date' }, '2026-03-01', undefined],
    [
      { format: 'date-time' },
      '2026-02-30T12:00:00Z',
      'It should be a date and time such as 2026-03-01T12:00:00Z.',
    ],
    [{ format: 'date-time' }, '2026-03-01T12:00:00Z', undefined],
    [{ format: 'date-time' }, 'noon', 'It should be a date and time such as 2026-03-01T12:00:00Z.'],
    [{ format: 'toString' }, 'any', undefined],
    [{ pattern: '^[a-z]+$' }, 'A1', 'It should match ^[a-z]+$'],
    [{ pattern: '^(a+)+$' }, `${'a'.repeat(200)}!`, 'It should match ^(a+)+$'],
    [{ pattern: '(' }, 'any', undefined],
    [{ pattern: String.raw`^\s\/$` }, '\u00a0/', undefined],
    [{ pattern: String.raw`^\u00e9$` }, 'e', String.raw`It should match ^\u00e9$`],
  ])('checkText: %j with %j', async (field, typed, problem) => {
    expect(checkText(text(field), typed, await loadPatternTest())).toBe(problem)
  })

  test.each([
    [{}, '', 'It is required.'],
    [{ isRequired: false }, ' ', undefined],
    [{}, 'many', 'It should be a number.'],
    [{}, 'Infinity', 'It should be a number.'],
    [{ isInteger: true }, '1.5', 'It should be a whole number.'],
    [{ min: 1 }, '0', 'At least 1.'],
    [{ max: 9 }, '10', 'At most 9.'],
    [{}, '-1.5', undefined],
  ])('checkNumber: %j with %j', (field, typed, problem) => {
    expect(checkNumber(number(field), typed)).toBe(problem)
  })

  test('checkCount: enforces the minimum and the maximum', () => {
    const field = {
      kind: 'choices',
      name: 'a',
      title: 'a',
      isRequired: true,
      options: [],
      min: 1,
      max: 2,
    } as const
    expect([0, 1, 2, 3].map((count) => checkCount(field, count))).toEqual([
      'Choose at least 1.',
      undefined,
      undefined,
      'Choose at most 2.',
    ])
  })
})

test('T156 a field whose name has control characters is not shown: the name could not be sent as it is', () => {
  const schema = object({ '\u001b]0;x\u0007': { type: 'string' } })
  const reason = readQuestionForm(schema)
  expect(reason).toBe('the name of its field "\\u001b]0;x\\u0007" has control characters')
})
