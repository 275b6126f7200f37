import { expect, test } from 'vitest'
import type { ServerStatus, Tool } from '../../index.ts'
import { ServerUses } from './server-uses.ts'

const host = {
  ready: () => Promise.resolve(),
  servers: () => ['v', 'v-2', 'my srv'].map((name) => ({ name })) as unknown as readonly ServerStatus[], // only the name is used
  tools: () => [{ server: 'v-2', tool: 'say', name: 'v-2__say' }] as unknown as readonly Tool[], // only the names are used
}

test.each<readonly [string, readonly string[]]>([
  ['v__find', ['v']],
  ['v.find', ['v']],
  ['call v/find q=1', ['v']],
  ['/v:prompt', ['v']],
  ['/mcp restart v', ['v']],
  ['plugboard call v-2__say', ['v-2']],
  ['say', ['v-2']],
  ['my_srv__find', ['my srv']],
  ['/mcp trust v', []],
  ['plugboard rm v', []],
  ['why v', []],
  ['/mcp reload', []],
  ['tools', ['v', 'v-2', 'my srv']],
  ['tools v', ['v']],
  ['help', []],
  ['list', []],
])('T20 only the servers that the line "%s" uses may ask for inputs', async (line, expected) => {
  const uses = new ServerUses()
  const running = await uses.begin(line.split(' '), host)
  expect(['v', 'v-2', 'my srv'].filter((name) => uses.lineOf(name) !== undefined)).toEqual(expected)
  running[Symbol.dispose]()
  expect(uses.lineOf('v')).toBeUndefined()
})

test('T20 the question of a line is withdrawn when the line ends', async () => {
  const uses = new ServerUses()
  const running = await uses.begin(['v__find'], host)
  const signal = uses.lineOf('v')
  expect(signal?.aborted).toBe(false)
  running[Symbol.dispose]()
  expect(signal?.aborted).toBe(true)
})
