import { describe, expect, test } from 'vitest'
import { checkArguments } from '../src/calls/validate.ts'
import { compileSchema } from '../src/catalog/provider-schema.ts'
import { restoreHidden } from '../src/catalog/restore-hidden.ts'
import { toExample, toSignature } from '../src/catalog/signature.ts'
import type { JsonObject } from '../src/model/json.ts'
import { toArguments } from '../src/surfaces/cli/arguments/tool-arguments.ts'
import { readQuestionForm } from '../src/surfaces/facts/question-form.ts'

// All readers of schemas resolve a `$ref` in the same way; an invalid percent escape once divided them.

const definition = { type: 'string', enum: ['1', '2'] }

describe.each([
  ['#/$defs/100%', '100%'],
  ['#/$defs/100%25', '100%'],
  ['#/$defs/a~1b%20c', 'a/b c'],
  ['#/$defs/%7E0', '~'],
])('a reference %s to the definition %j is found', (ref, name) => {
  const schema: JsonObject = {
    type: 'object',
    properties: { v: { $ref: ref } },
    required: ['v'],
    $defs: { [name]: definition },
  }
  const tool = { name: 't', inputSchema: schema } as Parameters<typeof toSignature>[0]

  test('when arguments are checked', async () => {
    expect(await checkArguments(schema, { v: '1' })).toEqual({ kind: 'valid' })
    expect(await checkArguments(schema, { v: 'none' })).toEqual({
      kind: 'invalid',
      problems: [{ path: 'v', message: 'expected "1" or "2", got "none"' }],
    })
  })

  test.each(['openai', 'openai-strict', 'anthropic', 'gemini'] as const)('for %s', (provider) => {
    expect(compileSchema(schema, provider)).toMatchObject({ schema: { properties: { v: definition } } })
  })

  test('in a signature and an example', () => {
    expect(toSignature(tool)).toBe('t({\n  v: "1" | "2"\n})')
    expect(toExample(tool)).toEqual({ v: '1' })
  })

  test('for an argument on the command line', () => {
    expect(toArguments([{ key: 'v', value: '1' }], schema)).toEqual({ v: '1' })
  })

  test('in a form', () => {
    const options = ['1', '2'].map((value) => ({ value, title: value }))
    expect(readQuestionForm(schema)).toEqual([
      { name: 'v', title: 'v', isRequired: true, kind: 'choice', options },
    ])
  })

  test('when hidden characters are put back', () => {
    const hidden = { ...schema, $defs: { [name]: { enum: ['o\u200bne'] } } }
    expect(restoreHidden({ v: 'one' }, hidden)).toEqual({ v: 'o\u200bne' })
  })
})
