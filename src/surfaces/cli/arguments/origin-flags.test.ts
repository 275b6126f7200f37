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
      'Install it, or write its full path.',
    )
    const time = 'See its output (events "server.said"), or allow more time: "startupTimeout" in its entry.'
    expect(withSameFlags(time, given)).toBe('Allow more time: --timeout')
    expect(withSameFlags('It is hidden.\nSee what decides that: plugboard why some/x', given)).toBe(
      'It is hidden.',
    )
    expect(withSameFlags('Wait for it: plugboard test some', given)).toBe(
      "Wait for it: plugboard test --stdio 'npx -y some-mcp'",
    )
    expect(withSameFlags('Run: plugboard login docs', { url: 'https://docs.example.com/mcp' })).toBe(
      'Run: plugboard add docs https://docs.example.com/mcp && plugboard login docs',
    )
  })

  test('T35 withSameFlags repeats --env and --header without their values, unless one is a variable', () => {
    const env = ['API_KEY=sk-123', 'MODE=${MODE}', 'OTHER=${X:-secret}']
    expect(withSameFlags('Run: plugboard tools', { stdio: 'x', env })).toBe(
      "Run: plugboard tools --stdio x --env 'API_KEY=…' --env 'MODE=${MODE}' --env 'OTHER=…'",
    )
    const header = ['Authorization: Bearer abc']
    expect(withSameFlags('Run: plugboard tools', { url: 'https://h/mcp', header })).toBe(
      "Run: plugboard tools --url https://h/mcp --header 'Authorization=…'",
    )
  })

  test('T35 withSameFlags masks the secrets of --url and --stdio', () => {
    const url = 'http://user:s3cretPassw0rd@127.0.0.1:18191/mcp?api_key=QUERYSECRET123'
    const stdio = 'npx some-mcp --token ghp_0123456789abcdefghijklmnopqrstuvwxyz'
    const shown = [
      withSameFlags('See what there is: plugboard tools', { url }),
      withSameFlags('Run: plugboard login docs', { url }),
      withSameFlags('See what there is: plugboard tools', { stdio }),
      withSameFlags('Run: plugboard login docs', { stdio }),
    ].join('\n')
    expect(shown).not.toMatch(/s3cret|QUERYSECRET|ghp_/)
    expect(shown).toContain('@127.0.0.1:18191/mcp')
    expect(shown).toContain('npx some-mcp --token')
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
