import { expect, test } from 'vitest'
import type { NextStep } from '../../../../src/client.ts'
import { readTab, readTask, stepAddress } from './server-address.ts'

const server = {
  name: 'my server/1',
  declared: { file: '/home/me/.mcp.json', shown: '~/.mcp.json:7', line: 7 },
}

test('a next step opens its view, with the name of the server encoded', () => {
  expect(
    (['trust', 'login', 'enable', 'disable', 'answer-input', 'log', 'open-config'] as const).map((action) =>
      stepAddress(server, step(action)),
    ),
  ).toEqual([
    '/servers/my%20server%2F1?do=trust',
    '/servers/my%20server%2F1?do=login',
    '/servers/my%20server%2F1?do=enable',
    '/servers/my%20server%2F1?do=disable',
    '/servers/my%20server%2F1?do=inputs',
    '/servers/my%20server%2F1?tab=log',
    '/config/%2Fhome%2Fme%2F.mcp.json?line=7',
  ])
})

test('a step that is done at once has no view', () => {
  for (const action of ['start', 'stop', 'restart', 'logout'] as const)
    expect(stepAddress(server, step(action))).toBeUndefined()
})

test('an unknown tab is Now, an unknown task none', () => {
  expect([readTab('log'), readTab('x'), readTab(undefined)]).toEqual(['log', 'now', 'now'])
  expect([readTask('trust'), readTask('x'), readTask(undefined)]).toEqual(['trust', undefined, undefined])
})

function step(action: NextStep['action']): NextStep {
  return { action, label: 'Do', command: 'plugboard do' }
}
