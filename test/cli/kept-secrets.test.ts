import { expect, test } from 'vitest'
import { openOwnStore } from '../../src/store.ts'
import { createMachine } from '../support/programs/cli.ts'
import { echoServer } from '../support/gateway.ts'
import { ownFile } from '../support/servers.ts'

/** One for each way in which a server that is not started has a secret; none has the form of a token. */
const secrets = {
  literal: 'kept literal 4b1e77',
  switchedOff: 'kept switched off 4b1e77',
  variable: 'kept variable 4b1e77',
  file: 'kept file 4b1e77',
  envFile: 'kept env file 4b1e77',
  query: 'kept-query-4b1e77',
  login: 'kept login 4b1e77',
  modelKey: 'kept model key 4b1e77',
  untrusted: 'kept untrusted 4b1e77',
}

const journal = '~/.local/state/plugboard/calls.jsonl'
const trail = '~/.local/state/plugboard/audit/open.jsonl'

test('T35 a call is kept without the secrets of servers that the command did not start', async () => {
  using machine = createMachine({
    '~/secret.txt': `${secrets.file}\n`,
    'server.env': `FROM_ENV_FILE="${secrets.envFile}"\n`,
    '~/.config/plugboard/settings.json': {
      audit: 'values',
      endpoints: { corp: { kind: 'openai', key: '${env:CORP}' } },
    },
    // Its file is not read before it is trusted, but what is written in the entry is known.
    '.mcp.json': { mcpServers: { project: { command: 'x', env: { A_TOKEN: '{file:~/other.txt}' } } } },
    '~/other.txt': secrets.untrusted,
  })
  machine.write(
    ownFile,
    {
      mcpServers: {
        a: echoServer(),
        b: {
          command: 'not-started',
          env: {
            API_TOKEN: secrets.literal,
            FROM_FILE: '{file:~/secret.txt}',
            FROM_COMMAND: `!touch ${machine.path('~/ran')}`,
            SHOP_TOKEN: '${env:SHOP}',
          },
          envFile: '${workspaceFolder}/server.env',
        },
        c: { type: 'http', url: `https://example.com/?api_key=${secrets.query}` },
        d: {
          type: 'http',
          url: 'https://example.com/d',
          auth: { type: 'oauth', clientId: 'x', clientSecret: secrets.login },
        },
        off: { command: 'not-started', env: { API_TOKEN: secrets.switchedOff }, enabled: false },
      },
    },
    0o600,
  )
  // The first program that opens the store makes the journal.
  const platform = { home: machine.home, env: machine.env }
  await (await openOwnStore({ platform, cwd: machine.project })).store?.close()
  const env = { SHOP: secrets.variable, CORP: secrets.modelKey }
  const text = Object.values(secrets).join(', ')
  const { code } = await machine.runWith({ env }, 'call', 'a/echo', `text=${text}`)
  expect(code).toBe(0)
  const masked = [...Array<string>(Object.keys(secrets).length - 1).fill('•••'), secrets.untrusted].join(', ')
  expect(JSON.parse(machine.read(journal))).toMatchObject({ ref: 'a/echo', args: { text: masked } })
  const rows = machine
    .read(trail)
    .trim()
    .split('\n')
    .map((row) => JSON.parse(row) as object)
  expect(rows).toMatchObject([{ ref: 'a/echo', args: { text: masked } }, { kind: 'end' }])
  expect(machine.has('~/ran')).toBe(false)
})
