import { describe, expect, test } from 'vitest'
import type { HostOptions } from '../src/index.ts'
import { faultyServer } from '../src/testing/faulty-server.ts'
import { hostWith } from './support/hosted.ts'

const good = faultyServer({})
const entry = { ...good, env: { TOKEN: '${input:tok}' } }

describe('what an entry asks a person for', () => {
  test('is given by its id', async () => {
    await using hosted = await hostWith(entry, { answers: { tok: 'sehr-geheim' } })
    expect(await hosted.connect()).toMatchObject({ era: expect.any(String) })
    expect(hosted.host.redact('it is sehr-geheim')).toBe('it is •••')
  })

  test('or by a function, which is asked when a server first needs it, and once', async () => {
    const asked: unknown[] = []
    const answers: HostOptions['answers'] = async (server, input) => {
      asked.push([server.name, input])
      return 'sehr-geheim'
    }
    await using hosted = await hostWith(entry, { answers })
    expect(asked).toEqual([])
    await hosted.connect()
    await hosted.host.restart('x')
    expect(asked).toEqual([['x', { id: 'tok' }]])
  })

  test('is asked for again when nobody answered', async () => {
    const said = [undefined, 'sehr-geheim']
    await using hosted = await hostWith(entry, { answers: async () => said.shift() })
    await expect(hosted.connect()).rejects.toMatchObject({
      message: expect.stringContaining('"x" cannot start without tok.'),
    })
    expect(await hosted.host.restart('x')).toMatchObject({ era: expect.any(String) })
  })

  test('without an answer the error says how to give one', async () => {
    await using hosted = await hostWith(entry)
    await expect(hosted.connect()).rejects.toMatchObject({
      message: expect.stringContaining('"x" cannot start without tok.'),
      hint: 'Pass --input tok=… (createHost: answers). See its values: plugboard why x',
    })
  })
})
