import { expect, test } from 'vitest'
import { followIssuers } from './gateway-http.ts'

test('issuers of changed settings that cannot be read or applied are a warning, and the gateway goes on', async () => {
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const fails = (message: string) => async () => Promise.reject(new Error(message))
  await followIssuers({ read: fails('not read'), apply: async () => undefined, warn })
  await followIssuers({ read: async () => ({}), apply: fails('not applied'), warn })
  expect(warnings).toEqual(['Error: not read', 'Error: not applied'])
})

test('settings that do not name issuers any more end those in force', async () => {
  const applied: unknown[] = []
  await followIssuers({
    read: async () => ({}),
    apply: async (issuers) => void applied.push(issuers),
    warn: () => undefined,
  })
  expect(applied).toEqual([[]])
})
