import { describe, expect, test } from 'vitest'
import { read } from '../../../../test/support/read.ts'

const remote = { type: 'streamable-http', url: 'https://a.example.com/mcp' }

function readServers(mcpServers: unknown, env: Record<string, string> = {}) {
  return read('sep-2633', { 'mcp.json': { mcpServers } }, { env })
}

describe('SEP-2633', () => {
  test('every entry needs a type, one of the three of the draft', async () => {
    const { names, problems } = await readServers({
      a: { command: 'a' },
      b: { url: 'https://a.example.com/mcp' },
      c: { type: 'http', url: 'https://a.example.com/mcp' },
      d: { type: 'stdio' },
      e: { type: 'sse', url: 'https://a.example.com/sse' },
    })
    expect(names).toEqual(['e'])
    expect(problems).toEqual([
      'error missing-endpoint /mcpServers/d',
      'error missing-type /mcpServers/a',
      'error missing-type /mcpServers/b',
      'error unknown-transport /mcpServers/c/type',
    ])
  })

  test('keys of the other transport are refused', async () => {
    const { names, problems } = await readServers({
      a: { type: 'stdio', command: 'a', url: 'https://a.example.com' },
      b: { type: 'stdio', command: 'b', headers: { X: '1' } },
      c: { ...remote, env: { X: '1' } },
      d: { type: 'stdio', command: 'd', oauth: {} },
    })
    expect(names).toEqual([])
    expect(problems).toEqual([
      'error command-and-url /mcpServers/a',
      'error unsupported-in-client /mcpServers/b/headers',
      'error unsupported-in-client /mcpServers/c/env',
      'error unsupported-in-client /mcpServers/d/oauth',
    ])
  })

  test('names with other characters than letters, digits, hyphens, underscores and brackets are refused', async () => {
    const { names, problems } = await readServers({
      'a-b_[1]': { type: 'stdio', command: 'a' },
      'a b': { type: 'stdio', command: 'a' },
      'a.b': { type: 'stdio', command: 'a' },
    })
    expect(names).toEqual(['a-b_[1]'])
    expect(problems).toEqual(['error invalid-name /mcpServers/a b', 'error invalid-name /mcpServers/a.b'])
  })

  test('two logins, long texts, unpinned packages and unknown keys are reported', async () => {
    const { names, problems } = await readServers(
      {
        a: { ...remote, oauth: { clientId: 'c' }, headers: { authorization: 'Bearer ${env:T}' } },
        b: { type: 'stdio', command: 'npx', args: ['b@latest'], title: 'x'.repeat(101), cwd: '/srv' },
      },
      { T: 't' },
    )
    expect(names).toEqual(['a', 'b'])
    expect(problems).toEqual([
      'info unpinned-package /mcpServers/b/args/0',
      'warn auth-conflict /mcpServers/a',
      'warn out-of-range /mcpServers/b/title',
      'warn unknown-key /mcpServers/b/cwd',
    ])
  })

  test('comments are an error', async () => {
    const { names, problems } = await read('sep-2633', { 'mcp.json': '{ "mcpServers": {}, }' })
    expect(names).toEqual([])
    expect(problems).toEqual(['error parse-error'])
  })
})

describe('SEP-2633: alternatives', () => {
  const outcome = async (value: string, env: Record<string, string> = {}) => {
    const { servers, problems } = await readServers({ a: { ...remote, headers: { X: value } } }, env)
    return { resolved: servers['a']?.['resolved'], problems }
  }

  test('the first alternative with a value is used; an empty variable has none', async () => {
    const value = '${env:A | env:B | value:c}'
    expect(await outcome(value, { A: 'a', B: 'b' })).toEqual({
      resolved: { headers: { X: 'a' } },
      problems: [],
    })
    expect(await outcome(value, { A: '', B: 'b' })).toEqual({
      resolved: { headers: { X: 'b' } },
      problems: [],
    })
    expect(await outcome(value)).toEqual({ resolved: { headers: { X: 'c' } }, problems: [] })
  })

  test('without a value, the input, the scheme or the missing variable is reported', async () => {
    const at = '/mcpServers/a/headers/X'
    expect((await outcome('${env:A | input:b}')).problems).toEqual([`warn needs-input ${at}`])
    expect((await outcome('${env:A | op://vault/item/field}')).problems).toEqual([
      `warn unresolvable-scheme ${at}`,
    ])
    expect((await outcome('${env:A}')).problems).toEqual([`warn missing-env ${at}`])
    expect((await outcome('${A}')).problems).toEqual([`info no-expansion-in-client ${at}`])
    expect((await outcome('${op://vault/item/field | value:x}')).resolved).toEqual({ headers: { X: 'x' } })
  })
})
