import { format, inspect } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Redactor } from './secrets/redactor.ts'
import { Secret } from './secret.ts'

const canary = 'canary-1f0c-secret'

describe('T35 Secret', () => {
  const secret = new Secret(canary)
  const careless = secret as unknown as string // as used by code that mistakes it for a string

  test.each([
    ['as text', String(secret)],
    ['in a template', `<${careless}>`],
    ['added to a text', 'x'.concat(careless)],
    ['as JSON', JSON.stringify({ secret, list: [secret] })],
    ['inspected', inspect({ secret }, { showHidden: true, depth: 9 })],
    ['formatted', format('%s %o %O %j %d', secret, secret, secret, secret, secret)],
    ['in an error', inspect(new Error(`failed with ${careless}`, { cause: secret }))],
    ['in its keys', JSON.stringify(Object.entries(secret)) + JSON.stringify(Object.assign({}, secret))],
    ['as a copy', inspect(structuredClone(secret))],
  ])('does not show its value %s', (_how, text) => {
    expect(text).not.toContain(canary)
  })

  test('reveal returns the value', () => {
    expect(secret.reveal()).toBe(canary)
  })
})

describe('T35 Redactor', () => {
  const masked = (text: string, ...secrets: string[]) => {
    const redactor = new Redactor()
    for (const secret of secrets) redactor.register(secret)
    return redactor.redact(text)
  }

  test('masks a secret, and its URL, base64 and JSON forms', () => {
    const secret = 'p@ss "w/o"\n& more'
    const forms = [
      secret,
      encodeURIComponent(secret),
      Buffer.from(secret).toString('base64'),
      Buffer.from(secret).toString('base64url'),
      JSON.stringify(secret).slice(1, -1),
    ]
    for (const form of forms) expect(masked(`<${form}>`, secret)).toMatch(/^<•••=*>$/)
  })

  test('masks the longest secret first, so that no tail of it is left', () => {
    expect(masked('key=abcdefghijkl-tail', 'abcdefgh', 'abcdefghijkl-tail')).toBe('key=•••')
  })

  test('T17 masks a secret that hidden characters split, and then removes them too', () => {
    const split = [
      'tok-abc\u202Edefghijkl',
      'tok\u200B-abc\u001B[31mdefghijkl\u00AD',
      't\u{E0041}ok-abcdefghijkl',
    ]
    for (const form of split) expect(masked(`<\u202E${form}>`, 'tok-abcdefghijkl')).toBe('<•••>')
    const other = 'a\u202Eb \u001B[31mred: no secret'
    expect(masked(other, 'tok-abcdefghijkl')).toBe(other)
  })

  test('finds secrets in serialized JSON; plain words are not distinct secrets', () => {
    const redactor = new Redactor()
    redactor.register('p@ss "w/o"\n& more')
    const [holds, other] = [{ a: ['<p@ss "w/o"\n& more>'] }, { a: ['p@ss', '"w/o"'] }]
    const within = { a: JSON.stringify(holds) }
    redactor.register('development')
    expect(redactor.hasDistinctSecretInJson('["development"]')).toBe(false)
    expect([holds, within].map((each) => redactor.hasDistinctSecretInJson(JSON.stringify(each)))).toEqual([
      true,
      true,
    ])
    expect([holds, within, other].map((each) => redactor.hasSecretInJson(JSON.stringify(each)))).toEqual([
      true,
      true,
      false,
    ])
  })

  test('does not mask short values: they occur in other texts by chance', () => {
    expect(masked('on and off', 'on')).toBe('on and off')
  })

  test('leaves no registered secret in any text', () => {
    const secrets = fc.array(fc.string({ minLength: 8, maxLength: 40, unit: 'binary' }), {
      minLength: 1,
      maxLength: 5,
    })
    fc.assert(
      fc.property(secrets, fc.array(fc.string(), { maxLength: 6 }), (hidden, rest) => {
        const text = rest.join(hidden.join(' '))
        const clean = masked(text, ...hidden)
        for (const secret of hidden) expect(clean.includes(secret)).toBe(false)
      }),
    )
  })

  test.each([
    ['AKIAIOSFODNN7EXAMPLE', '•••'],
    ['ghp_0123456789abcdefghijABCDEFGHIJ012345', '•••'],
    ['github_pat_0123456789abcdefghijABCDEFGHIJ', '•••'],
    ['sk-proj-0123456789abcdefghij', '•••'],
    ['xoxb-0123456789-abcdef', '•••'],
    ['glpat-0123456789abcdefghij', '•••'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl', '•••'],
    ['Authorization: Bearer abc.def-123', 'Authorization: Bearer •••'],
    ['authorization: bearer abc.def-123', 'authorization: bearer •••'],
    ['postgres://dana:hunter2@db/shop', 'postgres://dana:•••@db/shop'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- done', '••• done'],
    ['-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ', '•••'],
    ['{"k":"-----BEGIN PRIVATE KEY-----\\nMIIE\\n","x":1}', '{"k":"•••","x":1}'],
    ['"-----BEGIN PRIVATE KEY-----\\n" + "MIIE" + "-----END PRIVATE KEY-----"', '"•••"'],
    [
      '["-----BEGIN PRIVATE KEY-----", "kept", "-----END PRIVATE KEY-----"]',
      '["•••", "kept", "-----END PRIVATE KEY-----"]',
    ],
    ["https://me:it's@a.example", 'https://me:•••@a.example'],
  ])('recognizes the token in %j', (text, clean) => {
    expect(new Redactor().redact(text)).toBe(clean)
  })

  test.each([
    'Bearer ${TOKEN}',
    'https://example.com/a@b',
    'risk-free sketch',
    'gh auth login',
    'npx -y @scope/pkg@1.2.3',
    '{"a":"http://host:80","b":"me@x"}',
    "['http://host:80','me@x']",
    '{"a":"http://host","b":"c:me@x"}',
  ])('leaves %j unchanged', (text) => {
    expect(new Redactor().redact(text)).toBe(text)
  })

  test('finishes quickly on texts with many beginnings of a key', () => {
    const text = '-----BEGIN PRIVATE KEY-----!'.repeat(20_000)
    expect(new Redactor().redact(text)).toBe('•••!'.repeat(20_000))
    const urls = '://a:'.repeat(50_000)
    expect(new Redactor().redact(urls)).toBe(urls)
  })

  test.each([
    'eyJ-',
    'eyJaaaaaaaa.',
    'sk-',
    'xoxb-',
    'ghp_',
    'hf_',
    'glpat-',
    'github_pat_',
    'Bearer ',
    'AKIA',
  ])('T42 finishes quickly on a text that only repeats %j', (start) => {
    expect(new Redactor().redact(start.repeat(100_000)).length).toBeLessThanOrEqual(start.length * 100_000)
  })

  test('masks a secret with a lone surrogate', () => {
    expect(masked('<\ud800aaaaaaaa>', '\ud800aaaaaaaa')).toBe('<•••>')
  })
})
