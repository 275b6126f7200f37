import { describe, expect, test } from 'vitest'
import { openGateway } from '../../src/surfaces/gateway/gateway.ts'
import { fileSource, storeSource } from '../../src/surfaces/gateway/team/published-source.ts'
import { SharedStore } from '../../src/surfaces/gateway/team/shared-store.ts'
import { createMachine } from '../support/programs/cli.ts'
import { echoServer } from '../support/gateway.ts'

const mcpServers = { echo: echoServer() }

describe('gateway --from FILE', () => {
  test.each([
    [
      'wrong.json',
      '{\n  "mcpServers": {},\n  "views": 1\n}',
      ':3:3 "views" must be an object of views by name.',
    ],
    ['cut.json', '{\n  "mcpServers": {', ':2:18 a closing "}" is missing here.\n'],
    ['list.json', '[]', ':1:1 A configuration is an object with "mcpServers".'],
    ['absent.json', undefined, ' There is no such file.'],
  ])('%s is refused with the place of the mistake, and nothing is served', async (name, text, mistake) => {
    using machine = createMachine()
    const file = text === undefined ? machine.path(name) : machine.write(name, text)
    const { code, stdout, stderr } = await machine.run('gateway', '--port', '0', '--from', name)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('The configuration cannot be served.\n')
    expect(stderr).toContain(file + mistake)
  })

  test('settings that cannot be read stop the start: what they say about callers is not known', async () => {
    using machine = createMachine({ 'team.json': { mcpServers } })
    machine.write('~/.config/plugboard/settings.json', '{ "gateway": { "host": "127.0.0.2" ')
    const { code, stdout, stderr } = await machine.run('gateway', '--port', '0', '--from', 'team.json')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('has a mistake, or the file cannot be read.\nSee which one: plugboard doctor\n')
  })

  test('FI-70 a text that is half written while it is followed changes nothing until it is whole', async () => {
    using machine = createMachine({ 'team.json': { mcpServers, views: { work: {} } } })
    const file = machine.path('team.json')
    const warnings: string[] = []
    let wake = () => undefined as void
    const gateway = await openGateway({
      discover: { cwd: machine.project, platform: { home: machine.home, env: machine.env } },
      capabilities: () => ({}),
      source: fileSource(file),
      warn(message) {
        warnings.push(message)
        wake()
      },
      onChange: () => wake(),
    })
    const changed = async (content: unknown) => {
      const seen = new Promise<void>((resolve) => (wake = resolve))
      machine.write('team.json', content)
      await seen
      const { servers } = gateway.host.discovery
      return [
        servers.map((server) => server.name),
        ['work', 'play'].filter((view) => gateway.views.has(view)),
      ]
    }
    try {
      expect(await changed('{ "mcpServers": {')).toEqual([['echo'], ['work']])
      expect([...new Set(warnings)]).toEqual([
        expect.stringMatching(
          /^What was in force stays\. The configuration cannot be served\.\n.*team\.json:1:/,
        ),
      ])
      expect(await changed({ mcpServers, views: { play: {} } })).toEqual([['echo'], ['play']])
    } finally {
      await gateway.close()
    }
  })
})

test('gateway --from store: while the store is away, it is not said that nothing is published', async () => {
  using machine = createMachine()
  const platform = {
    home: machine.home,
    env: { ...machine.env, PLUGBOARD_DATABASE_URL: 'postgres://plugboard@127.0.0.1:1/none' },
  }
  const own = { cwd: machine.project, platform }
  const shared = new SharedStore({ ...own, warn: () => undefined })
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  try {
    const source = await storeSource({ discover: own, shared, warn, note: () => undefined })
    expect(source.isReady()).toBe(false)
    expect(warnings).toEqual([
      'No configuration is known here yet: the published one is served once the store can be read.',
    ])
  } finally {
    await shared.close()
  }
})
