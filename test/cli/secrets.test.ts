import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { openTerminal } from '../support/programs/terminal.ts'
import { everyVerb, withFlags } from '../support/verbs.ts'
import { trustRequest } from '../support/trusting.ts'

/** A different secret for each place, so that a leak identifies its place. */
const literal = {
  env: 'canary-env-1a2b3c4d',
  bearer: 'canary-bearer-1a2b3c4d',
  header: 'canary-header-1a2b3c4d',
  query: 'canary-query-1a2b3c4d',
  option: 'canary-option-1a2b3c4d',
  joined: 'canary-joined-1a2b3c4d',
  password: 'canary-password-1a2b3c4d',
  helper: 'canary-helper-1a2b3c4d',
  nested: 'canary-nested-1a2b3c4d',
  oauth: 'canary-oauth-1a2b3c4d',
}
const resolved = {
  SHOP_TOKEN: 'canary-resolved-5e6f7a8b',
  SHOP_API_KEY: 'canary-key-5e6f7a8b',
  OTHER_SECRET: 'canary-other-5e6f7a8b',
}
const output = 'canary-output-9c0d'

const leaking = {
  local: {
    command: 'local-mcp',
    args: [
      '--token',
      literal.option,
      `--api-key=${literal.joined}`,
      '--auth-token',
      '${SHOP_TOKEN}',
      '--key',
      '${SHOP_API_KEY}',
      '-c',
      `run --password ${literal.nested}`,
    ],
    env: {
      API_KEY: literal.env,
      TOKEN: '${SHOP_TOKEN}',
      PLAIN: '${OTHER_SECRET}',
      FROM_COMMAND: `!printf ${output}`,
      HELPER: `!vault read --token ${literal.helper}`,
    },
  },
  remote: {
    type: 'http',
    url: `https://dana:${literal.password}@api.example.com/mcp?api_key=${literal.query}&key=\${SHOP_API_KEY}`,
    headers: {
      Authorization: `Bearer ${literal.bearer}`,
      'X-Api-Key': literal.header,
      'X-Other': '${SHOP_TOKEN}',
    },
    headersCommand: `vault headers --token ${literal.helper}`,
    auth: { type: 'oauth', clientId: 'shop', clientSecret: literal.oauth },
  },
}

function leaky(): Machine {
  return createMachine({
    '.mcp.json': { mcpServers: { local: leaking.local, remote: leaking.remote } },
    '~/.config/plugboard/mcp.json': {
      mcpServers: { mine: leaking.local, far: leaking.remote, local: leaking.local },
    },
    '~/.cursor/mcp.json': {
      mcpServers: {
        local: leaking.local,
        cursor: leaking.local,
        distant: { url: leaking.remote.url, headers: leaking.remote.headers },
      },
    },
  })
}

const env = resolved
const verbs = [
  ...everyVerb('local', 'cursor'),
  ...everyVerb('remote', 'codex'),
  ['why', 'mine'],
  ['why', 'far'],
  ['why', 'local', '--trust'],
  ['import', 'cursor', '--dry-run', '--force'],
  ['export', 'vscode', '--trust', '--dry-run'],
  ['export', 'goose', '--trust', '--dry-run'],
  ['export', 'opencode', '--trust', '--dry-run'],
  ['export', 'zed', '--trust', '--dry-run'],
  ['remove', 'mine', '--dry-run'],
  ['disable', 'far', '--dry-run'],
  [
    'add',
    'another',
    '--url',
    `https://x.example.com/?token=${literal.query}`,
    '--token',
    literal.bearer,
    '--dry-run',
  ],
].map((words) => [words.join(' '), words] as const)

/** Trust shows the project's text in full, because code could stand in place of a secret. */
const shownForTrust = ['option', 'joined', 'nested', 'helper', 'query', 'password'] as const
function hiddenFrom([command]: readonly string[]): readonly string[] {
  const shown: readonly string[] = command === 'trust' ? shownForTrust : []
  return Object.entries(literal).flatMap(([place, secret]) => (shown.includes(place) ? [] : [secret]))
}

const found = (text: string, secrets: readonly string[]) => secrets.filter((secret) => text.includes(secret))

describe.concurrent('T35 literal and resolved secrets are hidden in text output', () => {
  test.each(verbs)('%s', async (_title, words) => {
    using machine = leaky()
    const { stdout, stderr } = await machine.runWith({ env }, ...words)
    expect(found(stdout + stderr, [...hiddenFrom(words), ...Object.values(resolved)])).toEqual([])
    // The command is shown, but its output is never known.
    expect((stdout + stderr).replaceAll(`printf ${output}`, '')).not.toContain(output)
  })

  test('list, why, trust and export in a terminal', async () => {
    using machine = leaky()
    for (const words of [
      ['list', '--resolved'],
      ['why', 'mine'],
      ['trust', '--all'],
      ['export', 'vscode', '--trust'],
    ]) {
      const terminal = openTerminal(machine, words, { env, declines: true, columns: 400 })
      await terminal.ended
      expect(found(terminal.shown(), [...hiddenFrom(words), ...Object.values(resolved)])).toEqual([])
    }
  })
})

describe.concurrent('T35 resolved secrets do not appear in JSON', () => {
  test.each(verbs.filter(([, [command]]) => command !== '__complete'))('%s --json', async (_title, words) => {
    using machine = leaky()
    const { stdout, stderr } = await machine.runWith({ env }, ...withFlags(words, '--json'))
    expect(found(stdout + stderr, Object.values(resolved))).toEqual([])
    expect(found(stderr, hiddenFrom(words))).toEqual([])
  })

  test('trust: a changed literal secret counts as a change, but neither value is stored or shown', async () => {
    using machine = createMachine({
      '.mcp.json': { mcpServers: { local: leaking.local, remote: leaking.remote } },
    })
    for (const name of ['local', 'remote']) {
      const { hash } = await trustRequest(machine, name)
      await machine.run('trust', name, '--hash', hash)
    }
    const stored = machine.read('~/.local/state/plugboard/trust.json')
    expect(
      found(
        stored,
        Object.values(literal).filter((secret) => secret !== literal.helper),
      ),
    ).toEqual([])
    machine.write('.mcp.json', machine.read('.mcp.json').replaceAll('1a2b3c4d', 'changed0'))
    for (const name of ['local', 'remote']) {
      const { stderr, stdout } = await machine.run('trust', name)
      const [whole = '', changes = ''] = stderr.split('What changed:')
      expect(changes).toContain('(sha256:')
      expect(found(stdout + changes, ['changed0', '1a2b3c4d'])).toEqual([])
      expect(found(whole, ['1a2b3c4d'])).toEqual([])
    }
  })
})
