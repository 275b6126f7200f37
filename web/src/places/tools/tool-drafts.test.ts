import { describe, expect, test } from 'vitest'
import { draftOf, emptyDraft } from '../../parts/form-draft.ts'
import { fieldKinds, keepTool, readKept, replaceDraft, schemaChange, takeArguments } from './tool-drafts.ts'

/** A storage with room for so many characters. */
function storageOf(room = 10_000): Storage {
  const items: Record<string, string> = {}
  const used = () => Object.entries(items).reduce((sum, [key, value]) => sum + key.length + value.length, 0)
  const methods = {
    getItem: (key: string) => items[key] ?? null,
    setItem: (key: string, value: string) => {
      if (used() + key.length + value.length > room) throw new Error('QuotaExceededError')
      items[key] = value
    },
    removeItem: (key: string) => {
      delete items[key]
    },
  }
  return new Proxy(methods, {
    ownKeys: () => Object.keys(items),
    getOwnPropertyDescriptor: (_, key) => ({
      value: items[String(key)],
      enumerable: true,
      configurable: true,
    }),
  }) as unknown as Storage // the methods that drafts use
}

describe('drafts of tools', () => {
  test('are read again as they were kept', () => {
    const storage = storageOf()
    const kept = { draft: draftOf({ a: 1 }), call: 'c1', fields: { a: 'number!' } }
    keepTool(storage, 'github/create_issue', kept)
    expect(readKept(storage, 'github/create_issue')).toEqual(kept)
    expect(readKept(storage, 'other')).toEqual({ draft: emptyDraft })
  })

  test('make place for the newest when the storage is full', () => {
    const storage = storageOf(400)
    for (const ref of ['a', 'b', 'c', 'd']) keepTool(storage, ref, { draft: draftOf('x'.repeat(80)) })
    expect(readKept(storage, 'a')).toEqual({ draft: emptyDraft })
    expect(readKept(storage, 'd').draft.value).toBe('x'.repeat(80))
  })

  test('a damaged one counts as none', () => {
    const storage = storageOf()
    storage.setItem('plugboard.tool.a', '{"draft":')
    storage.setItem('plugboard.tool.b', '{"draft":{}}')
    expect([readKept(storage, 'a'), readKept(storage, 'b')]).toEqual([
      { draft: emptyDraft },
      { draft: emptyDraft },
    ])
  })
})

describe('arguments in an address', () => {
  test('replace the draft once, and what was there can be taken back', () => {
    const taken = takeArguments({ draft: draftOf({ a: 1 }) }, '{"a":2}')
    expect(taken).toEqual({ draft: draftOf({ a: 2 }), before: draftOf({ a: 1 }), taken: '{"a":2}' })
    const edited = { ...taken, draft: draftOf({ a: 3 }) }
    expect(takeArguments(edited, '{"a":2}')).toBe(edited)
  })

  test('that are no JSON are shown as the text they are', () => {
    expect(takeArguments({ draft: emptyDraft }, '{a').draft.texts).toEqual({ '': '{a' })
  })

  test('an empty draft is not worth taking back', () => {
    expect(replaceDraft({ draft: emptyDraft }, { a: 1 })).toEqual({ draft: draftOf({ a: 1 }) })
  })
})

test('a changed schema is said in words', () => {
  const field = (name: string, isRequired: boolean) => ({
    name,
    title: name,
    isRequired,
    kind: 'text' as const,
  })
  const form = fieldKinds({
    name: '',
    title: '',
    isRequired: true,
    kind: 'object',
    fields: [field('title', true), field('labels', false)],
  })
  expect(form).toEqual({ title: 'text!', labels: 'text' })
  expect(schemaChange(undefined, form)).toBeUndefined()
  expect(schemaChange(form, form)).toBeUndefined()
  expect(schemaChange({ title: 'text', body: 'text', labels: 'list' }, form)).toBe(
    'The schema changed: 1 argument is gone: body; 1 argument is of another kind: labels; 1 argument is required now: title.',
  )
})
