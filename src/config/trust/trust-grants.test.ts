import { describe, expect, test } from 'vitest'
import { createPerson, pathOf } from '../../../test/support/person.ts'
import { httpOf, serverOf, stdioOf } from '../../../test/support/server.ts'
import type { Server, Transport } from '../../model/server.ts'
import type { ValueRules } from '../../sources/entries/template.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import { trustQuestionFor, grantTrust, maskSecrets, revokeTrust } from './trust-grants.ts'
import { readTrust, trustKey } from './trust-store.ts'

const rules: ValueRules = {
  syntaxes: ['braces', 'opencode', 'bang', 'input', 'env-name'],
  unset: 'keep',
}
/** A mask with a hash after it. */
const masked = /^(?:Bearer )?••• \(sha256:[0-9a-f]{12}\)$/

const asked = async (transport: Transport) => {
  const { key: _key, ...question } = await trustQuestionFor(
    serverOf('a', { transport }),
    rules,
    createPerson({}).files,
  )
  return question
}

describe('T10 trustQuestionFor', () => {
  test('lists every variable, command and file of the values once, sorted', async () => {
    const transport = stdioOf('${BIN}', {
      args: ['--key', '${KEY}', '${KEY:-x}'],
      env: { A: '!op read a', B: '{file:~/.b}', C: '!op read a', D: 'HOME_KEY' },
      passEnv: ['PASSED', 'KEY'],
      cwd: '${DIR}',
      envFile: '.env.local',
    })
    expect(await asked(transport)).toEqual({
      variables: ['BIN', 'DIR', 'HOME_KEY', 'KEY', 'PASSED'],
      commands: ['op read a'],
      files: ['.env.local', '~/.b'],
    })
  })

  test('lists what the address, headers, headers command and login of a remote server use', async () => {
    const transport = httpOf('https://${HOST}/mcp', {
      headers: { Authorization: 'Bearer ${TOKEN}', 'X-Key': { env: 'KEY' } },
      headersCommand: 'make-headers',
      auth: { type: 'bearer', tokenEnv: 'BEARER' },
    })
    expect(await asked(transport)).toEqual({
      variables: ['BEARER', 'HOST', 'KEY', 'TOKEN'],
      commands: ['make-headers'],
      files: [],
    })
  })

  test('has the key under which trust is looked up', async () => {
    const { files } = createPerson({})
    const server = serverOf('a')
    expect((await trustQuestionFor(server, rules, files)).key).toBe(await trustKey(server, files))
  })
})

describe('grantTrust and revokeTrust', () => {
  const declared = (name: string, entry: Server['declared'][number]['entry'], file = pathOf('.mcp.json')) =>
    serverOf(name, { entry, origin: { file, authority: 'project' } })
  const clock = createFakeClock(Date.UTC(2026, 0, 2))
  const grant = async (server: Server, { platform }: ReturnType<typeof createPerson>) =>
    grantTrust(server, await trustQuestionFor(server, rules, platform.files), platform)

  test('grantTrust stores the time, the variables and the entry with its secrets masked', async () => {
    const person = createPerson({}, { clock })
    const server = declared('a', { command: 'x', env: { API_KEY: 'literal-secret', MODE: 'dev' } })
    await grant({ ...server, transport: stdioOf('x', { args: ['${V}'] }) }, person)
    expect([...(await readTrust(person.platform)).records.values()]).toEqual([
      {
        name: 'a',
        file: pathOf('.mcp.json'),
        source: 'plugboard',
        at: '2026-01-02T00:00:00.000Z',
        variables: ['V'],
        entry: {
          command: 'x',
          env: { API_KEY: expect.stringMatching(masked), MODE: 'dev' },
        },
      },
    ])
    expect([...person.files.texts.values()].join('\n')).not.toContain('literal-secret')
  })

  test('grantTrust replaces the record of an earlier form, and no other record', async () => {
    const person = createPerson({}, { clock })
    const other = declared('a', { command: 'x' }, pathOf('mcp.json'))
    for (const server of [declared('a', { command: 'x' }), declared('b', { command: 'x' }), other]) {
      await grant(server, person)
    }
    const newer = declared('a', { command: 'y' })
    await grant(newer, person)
    const { records } = await readTrust(person.platform)
    expect([...records.values()].map(({ name, file, entry }) => [name, file, entry])).toEqual([
      ['b', pathOf('.mcp.json'), { command: 'x' }],
      ['a', pathOf('mcp.json'), { command: 'x' }],
      ['a', pathOf('.mcp.json'), { command: 'y' }],
    ])
  })

  test('revokeTrust removes records by name, or by name and file, and returns their number', async () => {
    const person = createPerson({}, { clock })
    const files = ['.mcp.json', 'mcp.json', 'web/.mcp.json'].map(pathOf)
    for (const file of files) await grant(declared('a', {}, file), person)
    await grant(declared('b', {}), person)
    expect(await revokeTrust({ name: 'a', files: [pathOf('mcp.json')] }, person.platform)).toBe(1)
    expect(await revokeTrust({ name: 'a' }, person.platform)).toBe(2)
    expect(await revokeTrust({ name: 'a' }, person.platform)).toBe(0)
    expect([...(await readTrust(person.platform)).records.values()].map(({ name }) => name)).toEqual(['b'])
  })

  test('concurrent grants are all stored', async () => {
    const queue = { last: Promise.resolve() as Promise<unknown> }
    const lock = <T>(_path: string, work: () => Promise<T>): Promise<T> => {
      const next = queue.last.then(work, work)
      queue.last = next
      return next
    }
    const person = createPerson({}, { clock, lock })
    await Promise.all(['a', 'b', 'c'].map((name) => grant(declared(name, {}), person)))
    expect((await readTrust(person.platform)).records.size).toBe(3)
  })
})

describe('T35 maskSecrets', () => {
  test('keeps names and references, and replaces literal secrets by hashes', () => {
    expect(
      maskSecrets({
        headers: { Authorization: 'Bearer abc', 'X-Trace': 'on' },
        env: { TOKEN: '${TOKEN}', PASSWORD: 'hunter2' },
        args: ['--token', 'abc', '--port', '1'],
        timeout: 5,
      }),
    ).toEqual({
      headers: { Authorization: expect.stringMatching(masked), 'X-Trace': 'on' },
      env: { TOKEN: '${TOKEN}', PASSWORD: expect.stringMatching(masked) },
      args: ['--token', expect.stringMatching(masked), '--port', '1'],
      timeout: 5,
    })
  })

  test('gives different secrets different hashes', () => {
    expect(maskSecrets({ token: 'a' })).not.toEqual(maskSecrets({ token: 'b' }))
    expect(maskSecrets({ token: 'a' })).toEqual(maskSecrets({ token: 'a' }))
  })
})
