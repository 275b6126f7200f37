import { describe, expect, test } from 'vitest'
import { looksSecret, namesSecret } from './secret-names.ts'

describe('D26 a literal secret', () => {
  test.each([
    ['Authorization', 'Bearer abc'],
    ['GITHUB_TOKEN', 'ghp_x'],
    ['X-Api-Key', 'k'],
    ['api_key', 'k'],
    ['CLIENT_SECRET', 's'],
    ['DB_PASSWORD', '1234'],
    ['AWS_ACCESS_KEY_ID', 'AKIA'],
    ['GOOGLE_APPLICATION_CREDENTIALS', '/x.json'],
    ['bearerToken', 'costs 5$'],
  ])('%s: %s', (name, value) => {
    expect(looksSecret(name, value)).toBe(true)
  })

  test.each([
    ['Accept', 'application/json'],
    ['PATH', '/bin'],
    ['GITHUB_TOKEN', ''],
    ['GITHUB_TOKEN', ' '],
    ['MAX_TOKENS', '4096'],
    ['max-tokens', '4096'],
    ['TOKENIZERS_PARALLELISM', 'false'],
    ['Authorization', 'Bearer ${TOKEN}'],
    ['Authorization', '$TOKEN'],
    ['Authorization', '$env:TOKEN'],
    ['Authorization', 'Bearer {env:TOKEN}'],
    ['Authorization', '{file:~/.token}'],
    ['Authorization', '${{ secrets.TOKEN }}'],
    ['Authorization', '!op read op://x'],
    ['Authorization', '%TOKEN%'],
    ['Authorization', '{token}'],
  ])('is not %s: %s', (name, value) => {
    expect(looksSecret(name, value)).toBe(false)
  })

  test('a name decides alone where the value comes from elsewhere', () => {
    expect(['GITHUB_TOKEN', 'ACCESS_TOKEN_2', 'HOME', 'TOKENS'].map(namesSecret)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})
