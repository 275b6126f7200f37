import { describe, expect, test } from 'vitest'
import { openGateway } from '../../src/surfaces/gateway/gateway.ts'
import { fileSource } from '../../src/surfaces/gateway/team/published-source.ts'
import { createMachine } from '../support/cli.ts'
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
