import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { isOlder, readShimArguments } from './desk-shim.ts'

describe('readShimArguments', () => {
  test('reads the flags of a client', () => {
    expect(readShimArguments([])).toEqual({ cwd: process.cwd() })
    const words = [
      '--stdio',
      '--view',
      'a',
      '--search',
      '--cwd=/x',
      '--source',
      'b',
      '--source=c',
      '--preset',
      'omp',
    ]
    expect(readShimArguments([...words, '--config', 'f', '--trust'])).toEqual({
      cwd: resolve('/x'),
      view: 'a',
      search: true,
      source: ['b', 'c'],
      preset: 'omp',
      config: 'f',
      trust: true,
    })
  })

  test.each([
    [['status']],
    [['--help']],
    [['--alone']],
    [['--port', '0']],
    [['--json']],
    [['--view']],
    [['--view', '--search']],
    [['--view', 'a', '--view', 'b']],
    [['--preset', '../../x']],
    [['--search=yes']],
    [['-h']],
  ])('leaves %j to the command', (args) => {
    expect(readShimArguments(args)).toBeUndefined()
  })
})

test.each([
  ['0.1.0', '0.2.0', true],
  ['0.9.0', '0.10.0', true],
  ['1.0.0-beta', '1.0.0', true],
  ['1.0.0', '1.0.0-beta', false],
  ['0.1.0', '0.1.0', false],
  ['1.0.0', '0.9.9', false],
])('isOlder: %s before %s is %s', (one, other, expected) => {
  expect(isOlder(one, other)).toBe(expected)
})
