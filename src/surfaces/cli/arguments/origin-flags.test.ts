import { describe, expect, test } from 'vitest'
import { originFlagsIn, withSameFlags } from './origin-flags.ts'

describe('a proposed command finds what this one found', () => {
  test('the flags that say where servers come from stand behind its verb', () => {
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

  test('what is no command, or has them already, stays as it is', () => {
    const text = 'files of plugboard come first; plugboard trust --preset omp x; plugboard-mcp list'
    expect(withSameFlags(text, { preset: 'omp' })).toBe(text)
    expect(withSameFlags('plugboard trust x', {})).toBe('plugboard trust x')
  })

  test('they are found in a command line, and not behind its --', () => {
    expect(originFlagsIn(['test', 'x', '--preset', 'omp', '--source=cursor', '--', '--config', 'f'])).toEqual(
      {
        preset: 'omp',
        source: ['cursor'],
      },
    )
  })
})
