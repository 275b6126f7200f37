import { describe, expect, test } from 'vitest'
import { dialectStart, globOptions, withDialectNames } from './list-dialect.ts'

const log = { name: 'git__log', ref: 'git/log', server: 'git', tool: 'log' }

test('only opencode knows `?` (C24)', () => {
  expect([undefined, 'claude-code', 'opencode', 'copilot'].map((each) => globOptions(each as never))).toEqual(
    [{ questionMark: false }, { questionMark: false }, { questionMark: true }, { questionMark: false }],
  )
})

test.each([
  ['claude-code', 'mcp__git__'],
  ['opencode', 'git_'],
  ['copilot', 'git/'],
] as const)('names of tools begin in %s with %s', (dialect, start) => {
  expect(dialectStart('git', dialect)).toBe(start)
})

describe('withDialectNames', () => {
  test('our own lists and those of Copilot have our names', () => {
    expect(withDialectNames(log, undefined)).toBe(log)
    expect(withDialectNames(log, 'copilot')).toBe(log)
  })

  test('native tools have no other name', () => {
    const native = { name: 'view_file' }
    expect(withDialectNames(native, 'opencode')).toBe(native)
    const half = { name: 'x', server: 'git' }
    expect(withDialectNames(half, 'claude-code')).toBe(half)
  })

  test('other systems have names of their own beside ours', () => {
    expect(withDialectNames(log, 'opencode')).toEqual({ name: 'git__log', ref: 'git/log', alias: 'git_log' })
    expect(withDialectNames(log, 'claude-code')).toEqual({
      name: 'git__log',
      ref: 'git/log',
      alias: 'mcp__git__log',
    })
    const { ref: _, ...unnamed } = log
    expect(withDialectNames(unnamed, 'opencode')).not.toHaveProperty('ref')
  })

  test('a server whose name would end elsewhere has an ambiguous name too', () => {
    const evil = { name: 'github__evil__x', server: 'github__evil', tool: 'x' }
    const { alias, ambiguous } = withDialectNames(evil, 'claude-code')
    expect(ambiguous).toEqual(['mcp__github__evil__x'])
    expect(alias).not.toBe('mcp__github__evil__x')
  })

  test('the tool `github__x` of a server `mcp` does not have the name of the tool `x` of `github`', () => {
    const posing = { name: 'mcp__github__x', server: 'mcp', tool: 'github__x' }
    const { name, alias, ambiguous } = withDialectNames(posing, 'claude-code')
    expect(name).toBe(alias)
    expect(ambiguous).toContain('mcp__github__x')
    const own = { name: 'mcp__mcp__x', server: 'mcp', tool: 'x' }
    expect(withDialectNames(own, 'claude-code')).toEqual({ name: 'mcp__mcp__x', alias: 'mcp__mcp__x' })
  })
})
