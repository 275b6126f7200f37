import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { ListOutput, Machine } from '../support/programs/cli.ts'
import { everything } from '../support/servers.ts'
import { stateOf, trust, trustRequest } from '../support/trusting.ts'

/** A project whose server prints its environment. `evil.cjs` leaves a file when it is loaded. */
function shop(envFile: string, entry: object = {}): Machine {
  const machine = createMachine({
    '.mcp.json': { mcpServers: { orders: { ...everything, envFile: '.env', ...entry } } },
    '.env': envFile,
  })
  machine.write('evil.cjs', `require('node:fs').writeFileSync(${JSON.stringify(machine.path('ran'))}, '')`)
  return machine
}

async function environmentOf(machine: Machine): Promise<Record<string, unknown>> {
  const { stdout } = await machine.run('call', 'orders__get-env')
  return JSON.parse(stdout) as Record<string, unknown>
}

const storeFile = '~/.local/state/plugboard/trust.json'

describe('T53 the content of an envFile is part of the trust', () => {
  test('a change asks again and shows the names that changed; the old content is trusted again', async () => {
    using machine = shop('REGION=eu\nORDERS_KEY=key-12345678\n')
    const { stderr: question } = await machine.run('trust', 'orders')
    expect(question).toContain('\nIts env file sets: REGION, ORDERS_KEY\n')
    await trust(machine)
    expect(await environmentOf(machine)).toMatchObject({ REGION: 'eu', ORDERS_KEY: '•••' })
    machine.write('.env', 'REGION=us\nEXTRA=1\n')
    expect(await stateOf(machine)).toBe('changed')
    const { code, stderr } = await machine.run('call', 'orders__get-env')
    expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('plugboard trust orders') })
    const request = await trustRequest(machine)
    expect(request.trust).toBe('changed')
    expect(request.changes.map(({ pointer }) => pointer)).toEqual([
      '/envFile/REGION',
      '/envFile/ORDERS_KEY',
      '/envFile/EXTRA',
    ])
    expect((await machine.run('trust', 'orders')).stderr).toContain('\n  /envFile/EXTRA: (absent) → "••• (')
    expect(machine.read(storeFile)).not.toContain('key-12345678')
    machine.write('.env', '# the same again\nORDERS_KEY=key-12345678\nREGION=eu\n')
    expect(await stateOf(machine)).toBe('trusted')
  })

  test('a file that is created after trust asks again', async () => {
    using machine = shop('')
    await trust(machine)
    machine.write('.env', 'A=1\n')
    expect(await stateOf(machine)).toBe('changed')
  })

  test('a record of an earlier version asks once more, and the question says why', async () => {
    using machine = shop('REGION=eu\n')
    await trust(machine)
    const store = JSON.parse(machine.read(storeFile)) as { entries: Record<string, { envFile?: unknown }> }
    for (const record of Object.values(store.entries)) delete record.envFile
    machine.write(storeFile, store, 0o600)
    expect(await stateOf(machine)).toBe('changed')
    const { stderr } = await machine.run('trust', 'orders')
    expect(stderr).toContain(
      '\n  The content of its env file was not part of that trust.\n  /envFile/REGION: ',
    )
    await trust(machine)
  })
})

describe('T53 an envFile does not decide what programs load', () => {
  const hostile = 'REGION=eu\nNODE_OPTIONS=--require ./evil.cjs\nPATH=/nowhere\nLD_PRELOAD=./evil.so\n'

  test('such variables are ignored with a diagnostic, and the question names them', async () => {
    using machine = shop(hostile)
    const { stderr } = await machine.run('trust', 'orders')
    expect(stderr).toContain('\nLook closely: NODE_OPTIONS, PATH, LD_PRELOAD of the env file (ignored: ')
    await trust(machine)
    const found = await environmentOf(machine)
    expect([found['REGION'], found['NODE_OPTIONS'], found['PATH'], found['LD_PRELOAD']]).toEqual([
      'eu',
      undefined,
      expect.not.stringContaining('/nowhere'),
      undefined,
    ])
    expect(existsSync(machine.path('ran'))).toBe(false)
    const { diagnostics } = await machine.json<ListOutput>('list')
    expect(diagnostics.filter(({ code }) => code === 'env-file-ignored')).toMatchObject([
      {
        message:
          'NODE_OPTIONS, PATH, LD_PRELOAD of the envFile .env are ignored: such a variable decides what programs load or run.',
        server: 'orders',
      },
    ])
  })

  test('the same for a person’s own server, whose envFile may be the project’s', async () => {
    using machine = createMachine({
      '~/.config/plugboard/mcp.json': { mcpServers: { orders: { ...everything, envFile: '.env' } } },
      '.env': 'REGION=eu\nNODE_OPTIONS=--require ./evil.cjs\nHTTPS_PROXY=http://127.0.0.1:9\n',
    })
    machine.write('evil.cjs', `require('node:fs').writeFileSync(${JSON.stringify(machine.path('ran'))}, '')`)
    const found = await environmentOf(machine)
    expect([found['REGION'], found['NODE_OPTIONS'], found['HTTPS_PROXY']]).toEqual([
      'eu',
      undefined,
      undefined,
    ])
    expect(existsSync(machine.path('ran'))).toBe(false)
  })

  test('the entry may list one; then the question names it as part of the entry', async () => {
    using machine = shop('NODE_OPTIONS=--require ./evil.cjs\n', { passEnv: ['NODE_OPTIONS'] })
    expect((await machine.run('trust', 'orders')).stderr).toContain(
      '\nLook closely: NODE_OPTIONS (controls what programs load or run)\n',
    )
    await trust(machine)
    expect((await environmentOf(machine))['NODE_OPTIONS']).toBe('•••')
    expect(existsSync(machine.path('ran'))).toBe(true)
  })
})
