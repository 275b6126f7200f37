import { expect, test } from 'vitest'
import { appConnections, noGrants } from './app-security.ts'

test('T15 an app without grants may connect to nothing, one with grants to those origins, sockets included', () => {
  expect(appConnections(noGrants)).toBe('()')
  expect(
    appConnections({
      connect: ['https://api.example', 'wss://live.example:8443'],
      resources: ['https://*.cdn.example'],
      frames: ['https://api.example'],
      permissions: ['camera'],
    }),
  ).toBe('("https://api.example" "https://live.example:8443" "https://*.cdn.example");redirects=allow')
})
