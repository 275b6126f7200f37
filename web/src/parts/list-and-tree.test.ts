import { describe, expect, test } from 'vitest'
import { cutText, findInJson, firstOpen, jsonRows, levelsAbove, shownPath } from './json-rows.ts'
import { cutBlock, cutLong, fileName, isOpenable, isPicture, rawOf, treeOf } from './result-text.ts'
import { rowAfterKey, scrollFor, windowOf } from './virtual-window.ts'

describe('a list of 10,000 rows', () => {
  const list = { count: 10_000, rowHeight: 28, viewHeight: 560 }

  test('draws what is in sight and eight rows around it', () => {
    expect(windowOf({ ...list, scrollTop: 0 })).toEqual({ from: 0, to: 28, height: 280_000 })
    expect(windowOf({ ...list, scrollTop: 28_000 })).toEqual({ from: 992, to: 1028, height: 280_000 })
    expect(windowOf({ ...list, scrollTop: 279_440 })).toEqual({ from: 9972, to: 10_000, height: 280_000 })
  })

  test('after it became shorter than the place that was scrolled to, its last row is drawn', () => {
    expect(windowOf({ ...list, count: 3, scrollTop: 28_000 })).toEqual({ from: 2, to: 3, height: 84 })
    expect(windowOf({ ...list, count: 0, scrollTop: 0 })).toEqual({ from: 0, to: 0, height: 0 })
  })

  test('scrolls as little as brings a row in sight', () => {
    const view = { rowHeight: 28, scrollTop: 280, viewHeight: 280 }
    expect(scrollFor(12, view)).toBeUndefined()
    expect(scrollFor(5, view)).toBe(140)
    expect(scrollFor(20, view)).toBe(308)
  })

  test('keys go to rows, and not beyond the ends', () => {
    const at = { row: 5, count: 8, page: 4 }
    const keys = ['j', 'k', 'PageDown', 'PageUp', 'Home', 'End', 'x']
    expect(keys.map((key) => rowAfterKey(key, at))).toEqual([6, 4, 7, 1, 0, 7, undefined])
  })
})

describe('a JSON tree', () => {
  const value = { items: [{ id: 1, name: 'a b' }, { id: 2 }], 'a/b': { c: null }, text: 'one\ntwo' }

  test('has rows for the levels that are open', () => {
    const rows = jsonRows(value, { open: new Set(['', '/items', '/text']) })
    expect(rows.map((row) => [row.pointer, row.depth, row.shown, row.isOpen])).toEqual([
      ['', 0, '{ items, a/b, text }', true],
      ['/items', 1, '[ 2 ]', true],
      ['/items/0', 2, '{ id, name }', false],
      ['/items/1', 2, '{ id }', false],
      ['/a~1b', 1, '{ c }', false],
      ['/text', 1, '"one\\ntwo"', true],
      ['/text#0', 2, 'one', undefined],
      ['/text#1', 2, 'two', undefined],
    ])
  })

  test('shows 500 values of a level, then says how many more there are', () => {
    const list = Array.from({ length: 2000 }, (_, index) => index)
    const rows = jsonRows(list, { open: new Set(['']) })
    expect(rows.length).toBe(502)
    expect(rows.at(-1)?.shown).toBe('1500 more')
  })

  test('opens the first levels as far as it stays short', () => {
    expect([...firstOpen(value)]).toEqual(['', '/items', '/a~1b', '/items/0', '/items/1'])
    const wide = Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`k${at}`, { x: 1 }]))
    expect([...firstOpen(wide)]).toEqual([''])
  })

  test('is searched by names and values, in the order of the tree', () => {
    expect(findInJson(value, 'a')).toEqual(['/items/0/name', '/a~1b'])
    expect(findInJson(value, 'NULL')).toEqual(['/a~1b/c'])
    expect(levelsAbove('/a~1b/c')).toEqual(['', '/a~1b'])
  })

  test('writes a path as a program does', () => {
    expect(shownPath(['items', '0', 'name'], value)).toBe('items[0].name')
    expect(shownPath(['a/b', 'c'], value)).toBe('["a/b"].c')
  })

  test('breaks lines that are too long to draw', () => {
    expect(cutText('abcde\nf', 2)).toEqual(['ab', 'cd', 'e', 'f'])
  })
})

describe('a result', () => {
  test('of many lines is cut to its first 40 and last 10', () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`)
    const cut = cutLong(lines.join('\n'))
    expect(cut.head.split('\n').at(-1)).toBe('line 40')
    expect(cut.tail.split('\n')[0]).toBe('line 4991')
    expect(cut.hidden?.lines).toBe(4950)
  })

  test('of one very long line is cut by characters', () => {
    const cut = cutLong('x'.repeat(1_000_000))
    expect([cut.head.length, cut.hidden, cut.tail.length]).toEqual([
      8000,
      { lines: 0, characters: 990_000 },
      2000,
    ])
  })

  test('whose middle was not sent shows where it was cut', () => {
    const cut = cutBlock({
      type: 'text',
      text: 'a\n'.repeat(60),
      tail: 'z\n'.repeat(20),
      length: 1000,
      isCut: true,
    })
    expect([cut.head.length, cut.tail.length, cut.hidden]).toEqual([79, 18, { lines: 0, characters: 903 }])
  })

  test('of fifty lines is shown whole', () => {
    const text = Array.from({ length: 50 }, () => 'x').join('\n')
    expect(cutLong(text)).toEqual({ head: text, tail: '' })
  })

  test('has a tree if it is structured or its text is JSON', () => {
    const result = { isFailed: false, blocks: [], bytes: 0 }
    expect(treeOf({ ...result, structured: [1] })).toEqual([1])
    expect(treeOf({ ...result, blocks: [{ type: 'text', text: ' {"a":1}' }] })).toEqual({ a: 1 })
    expect(treeOf({ ...result, blocks: [{ type: 'text', text: '{"a":' }] })).toBeUndefined()
    expect(treeOf({ ...result, blocks: [{ type: 'text', text: '[1]', isCut: true }] })).toBeUndefined()
  })

  test('raw JSON has no bytes of pictures', () => {
    const raw = rawOf({ isFailed: false, bytes: 4, blocks: [{ type: 'image', data: 'AAAA' }] })
    expect(raw).toContain('4 characters of base64')
  })

  test('draws pictures of pixels only, and links only to web pages and mail', () => {
    expect(isPicture({ type: 'image', mimeType: 'image/png', data: '' })).toBe(true)
    expect(isPicture({ type: 'image', mimeType: 'image/svg+xml', data: '' })).toBe(false)
    expect(
      ['https://a.b/c', 'javascript:alert(1)', 'file:///etc', 'data:text/html,x'].map(isOpenable),
    ).toEqual([true, false, false, false])
  })

  test('is saved under a safe name', () => {
    expect(fileName('files__../x y', 'image/jpeg')).toBe('files__.._x_y.jpg')
    expect(fileName('', 'text/html')).toBe('result.html.txt')
    expect(fileName('a', 'image/x-icon;q')).toBe('a.txt')
  })
})
