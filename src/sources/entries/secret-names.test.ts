import { describe, expect, test } from 'vitest'
import { looksSecret } from './literal-secrets.ts'
import { shouldHideVariable, isSecretName } from './secret-names.ts'

describe('D26 looksSecret', () => {
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
    ['MYSQL_PWD', 'p'],
    ['DB_PASS', 'p'],
    ['PGPASS', 'p'],
    ['GH_PAT', 'p'],
    ['STRIPE_KEY', 'k'],
    ['stripeKey', 'k'],
    ['Cookie', 'a=b'],
    ['X-Auth', 'x'],
    ['SESSION_ID', '1'],
  ])('%s: %s is a literal secret', (name, value) => {
    expect(looksSecret(name, value)).toBe(true)
  })

  test.each([
    ['Accept', 'application/json'],
    ['PATH', '/bin'],
    ['PATTERN', 'x'],
    ['KEYBOARD', 'us'],
    ['KEY', 'none'],
    ['AUTHOR', 'dana'],
    ['authType', 'none'],
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
  ])('%s: %s is not a literal secret', (name, value) => {
    expect(looksSecret(name, value)).toBe(false)
  })

  test('isSecretName: decides by the name alone', () => {
    expect(['GITHUB_TOKEN', 'ACCESS_TOKEN_2', 'HOME', 'TOKENS'].map(isSecretName)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })
})

describe('T35 shouldHideVariable', () => {
  test.each([
    ['COMPANY', 'X', 'Acme-1'],
    ['MODE', 'DB_PASS', 'dev'],
    ['DB_PASS', 'X', 'dev'],
    ['HOME', 'TOKEN', '/home/dana'],
    ['DATA_DIR', 'X', 'pg://u:p@h/x'],
    ['DATA_DIR', 'X', 'Acme-1'],
    ['ACCOUNT', 'X', '1234567890123456'],
    ['HOME', 'X', 'pg://u:p@h'],
  ])('%s under %s is hidden: %s', (name, key, value) => {
    expect(shouldHideVariable(name, key, value)).toBe(true)
  })

  test.each([
    ['PWD', 'PWD', '/p'],
    ['LC_ALL', 'X', 'C.UTF-8'],
    ['PORT', 'X', '8080'],
    ['RATE', 'X', '-0.5'],
    ['DEBUG', 'X', 'true'],
    ['MODE', 'X', 'dev'],
    ['DATA_DIR', 'X', '/srv/Data'],
    ['EMPTY', 'X', ''],
  ])('%s under %s is shown: %s', (name, key, value) => {
    expect(shouldHideVariable(name, key, value)).toBe(false)
  })
})
