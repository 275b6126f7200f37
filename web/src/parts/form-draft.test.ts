import { describe, expect, test } from 'vitest'
import type { Field } from '../../../src/client.ts'
import {
  arrangeItems,
  chooseVariant,
  closeText,
  draftOf,
  emptyDraft,
  openText,
  readDraft,
  setField,
  textProblems,
  writeText,
} from './form-draft.ts'

const base = (name: string, isRequired = false) => ({ name, title: name, isRequired })
const text = (name: string, isRequired = false): Field => ({ ...base(name, isRequired), kind: 'text' })
const object = (name: string, fields: readonly Field[], isRequired = true): Field => ({
  ...base(name, isRequired),
  kind: 'object',
  fields,
})
const shapes: Extract<Field, { kind: 'one-of' }> = {
  ...base('shape'),
  kind: 'one-of',
  variants: ['circle', 'square'].map((kind) =>
    object(kind, [
      { ...base('kind', true), kind: 'constant', value: kind },
      text('color'),
      text(`${kind}Size`),
    ]),
  ),
}

describe('the arguments of a draft', () => {
  test('fields that were not touched are not sent, also if they have a default', () => {
    const form = object('', [text('repo', true), { ...text('state'), initial: 'open' }])
    expect(readDraft(form, emptyDraft)).toEqual({})
    expect(readDraft(form, setField(emptyDraft, ['repo'], 'acme/shop'))).toEqual({ repo: 'acme/shop' })
  })

  test('an object that must be there is sent empty, so that the check names what it lacks', () => {
    const form = object('', [object('owner', [text('name', true)]), object('more', [text('x')], false)])
    expect(readDraft(form, emptyDraft)).toEqual({ owner: {} })
  })

  test('a removed value leaves no empty object behind', () => {
    const draft = setField(setField(emptyDraft, ['a', 'b', 'c'], 1), ['d'], 2)
    expect(setField(draft, ['a', 'b', 'c'], undefined).value).toEqual({ d: 2 })
  })

  test('constants that must be there are sent, those of a choice with it', () => {
    const form = object('', [{ ...base('v', true), kind: 'constant', value: 2 }, shapes])
    const draft = chooseVariant(emptyDraft, ['shape'], { field: shapes, index: 1 })
    expect(readDraft(form, draft)).toEqual({ v: 2, shape: { kind: 'square' } })
  })

  test('values without a field are sent as they are', () => {
    expect(readDraft(object('', [text('a')]), draftOf({ old: 1, a: 'x' }))).toEqual({ old: 1, a: 'x' })
  })
})

describe('choices of a shape', () => {
  test('another shape keeps the fields that both have', () => {
    const draft = draftOf({ shape: { kind: 'circle', color: 'red', circleSize: '3' } })
    const next = chooseVariant(draft, ['shape'], { field: shapes, index: 1 })
    expect(next.value).toEqual({ shape: { kind: 'square', color: 'red' } })
    expect(next.chosen).toEqual({ '/shape': 1 })
  })
})

describe('JSON at a level', () => {
  test('a text that is no JSON yet is kept and is a problem, the last good value stays', () => {
    const draft = writeText(openText(draftOf({ a: { b: 1 } }), ['a'], { b: 1 }), ['a'], '{ "b": ')
    expect(draft.value).toEqual({ a: { b: 1 } })
    expect(textProblems(draft)).toEqual([
      { pointer: '/a', message: expect.stringContaining('is not JSON') as string },
    ])
  })

  test('a good text becomes the value of its level; form and JSON show the same', () => {
    const draft = writeText(openText(emptyDraft, ['a'], undefined), ['a'], '{"b":[1,2]}')
    expect(closeText(draft, ['a'])).toEqual({ value: { a: { b: [1, 2] } }, texts: {}, chosen: {} })
  })

  test('the text of a level replaces texts and choices below it', () => {
    const draft = { value: { a: { b: 1 } }, texts: { '/a/b': '1' }, chosen: { '/a/b': 1, '/c': 0 } }
    expect(writeText(openText(draft, ['a'], { b: 1 }), ['a'], '{}')).toEqual({
      value: { a: {} },
      texts: { '/a': '{}' },
      chosen: { '/c': 0 },
    })
  })

  test('an empty text removes the value', () => {
    expect(writeText(draftOf({ a: 1, b: 2 }), ['a'], '').value).toEqual({ b: 2 })
  })
})

test('the rows of a list take their texts and choices with them when they move', () => {
  const draft = { value: { l: [1, 2, 3] }, texts: { '/l/2': '3', '/l/0': '1' }, chosen: { '/l/2/x': 1 } }
  expect(arrangeItems(draft, ['l'], { items: [3, 1, ''], order: [2, 0, undefined] })).toEqual({
    value: { l: [3, 1, ''] },
    texts: { '/l/0': '3', '/l/1': '1' },
    chosen: { '/l/0/x': 1 },
  })
})

test('a name like __proto__ is a value, not a prototype', () => {
  const draft = setField(emptyDraft, ['map', '__proto__'], 'x')
  expect(JSON.stringify(draft.value)).toBe('{"map":{"__proto__":"x"}}')
})
