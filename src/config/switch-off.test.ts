import { expect, test } from 'vitest'
import { createPerson, pathOf } from '../../test/support/person.ts'
import { serverOf } from '../../test/support/server.ts'
import { switchOff } from './switch-off.ts'

const { platform } = createPerson({})
const by = `${pathOf('~/.config/plugboard/settings.json')}#/disabledServers`
const settings = (...disabledServers: readonly string[]) => ({ sources: [], disabledServers })

test('nothing in the list: the same servers', () => {
  const servers = [serverOf('a')]
  expect(switchOff(servers, settings(), platform)).toBe(servers)
})

test('a server of the list is off by the settings; one that is off already keeps its own reason', () => {
  const [a, b, c] = [
    serverOf('a'),
    serverOf('b', { enabled: false, disabledBy: '/x.json#/off' }),
    serverOf('c'),
  ]
  expect(switchOff([a, b, c], settings('a', 'b'), platform)).toEqual([
    { ...a, enabled: false, disabledBy: by },
    b,
    c,
  ])
})

test('an id and a hash that are worked out on demand survive', () => {
  const server = Object.defineProperty({ ...serverOf('a') }, 'id', { get: () => 'a-1', enumerable: true })
  expect(switchOff([server], settings('a'), platform)[0]?.id).toBe('a-1')
})
