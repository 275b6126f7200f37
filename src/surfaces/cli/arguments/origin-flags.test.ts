import { describe, expect, test } from 'vitest'
import { originFlagsIn, withSameFlags } from './origin-flags.ts'

describe('origin flags in proposed commands', () => {
  test('withSameFlags inserts --preset, --config and --source after the verb', () => {
    expect(withSameFlags('Look first. Run: plugboard trust github', { preset: 'omp' })).toBe(
      'Look first. Run: plugboard trust --preset omp github',
    )
    expect(
      withSameFlags('See plugboard why x, or plugboard logs x.', {
        config: 'my servers.json',
        source: ['cursor'],
      }),
    ).toBe(
      "See plugboard why --config 'my servers.json' --source cursor x, or plugboard logs --config 'my servers.json' --source cursor x.",
    )
  })

  test('withSameFlags leaves other texts, and commands that have the flags, unchanged', () => {
    const text = 'files of plugboard come first; plugboard trust --preset omp x; plugboard-mcp list'
    expect(withSameFlags(text, { preset: 'omp' })).toBe(text)
    expect(withSameFlags('plugboard trust x', {})).toBe('plugboard trust x')
  })

  test('withSameFlags repeats --stdio and --url where a command takes them, and leaves out what needs a declaration', () => {
    const given = { stdio: 'npx -y some-mcp' }
    expect(withSameFlags('See its arguments: plugboard tool some/echo', given)).toBe(
      "See its arguments: plugboard tool --stdio 'npx -y some-mcp' some/echo",
    )
    expect(withSameFlags('Install it, or put its full path into the entry: plugboard why some', given)).toBe(
      'Install it, or put its full path into the entry.',
    )
    expect(withSameFlags('See its output (plugboard logs some), or allow more time.', given)).toBe(
      'See its output, or allow more time.',
    )
    expect(withSameFlags('Run: plugboard login docs', { url: 'https://docs.example.com/mcp' })).toBe(
      'Run: plugboard add docs https://docs.example.com/mcp && plugboard login docs',
    )
  })

  test('originFlagsIn reads a command line up to --', () => {
    expect(originFlagsIn(['test', 'x', '--preset', 'omp', '--source=cursor', '--', '--config', 'f'])).toEqual(
      {
        preset: 'omp',
        source: ['cursor'],
      },
    )
  })
})
