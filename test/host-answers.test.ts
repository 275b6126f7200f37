import { describe, expect, test } from 'vitest'
import type { HostOptions } from '../src/index.ts'
import { faultyServer } from '../src/testing/faulty-server.ts'
import { hostWith } from './support/hosted.ts'

const good = faultyServer({})
const entry = { ...good, env: { TOKEN: '${input:tok}' } }

describe('createHost: answers to inputs', () => {
  test('an object gives answers by input id', async () => {
    await using hosted = await hostWith(entry, { answers: { tok: 'sehr-geheim' } })
    expect(await hosted.connect()).toMatchObject({ era: expect.any(String) })
    expect(hosted.host.redact('it is sehr-geheim')).toBe('it is •••')
  })

  test('a function is called once, when a server first needs the input', async () => {
    const asked: unknown[] = []
    const answers: HostOptions['answers'] = async (server, input) => {
      asked.push([server.name, input])
      return 'sehr-geheim'
    }
    await using hosted = await hostWith(entry, { answers })
    expect(asked).toEqual([])
    await hosted.connect()
    await hosted.host.restart('x')
    expect(asked).toEqual([['x', { id: 'tok', secret: true }]])
  })

  test('a function that returned no answer is called again', async () => {
    const replies = [undefined, 'sehr-geheim']
    await using hosted = await hostWith(entry, { answers: async () => replies.shift() })
    await expect(hosted.connect()).rejects.toMatchObject({
      message: expect.stringContaining('"x" cannot start without tok.'),
    })
    expect(await hosted.host.restart('x')).toMatchObject({ era: expect.any(String) })
  })

  test('the error for a missing answer says how to give one', async () => {
    await using hosted = await hostWith(entry)
    await expect(hosted.connect()).rejects.toMatchObject({
      message: expect.stringContaining('"x" cannot start without tok.'),
      hint: 'Answer it: --input tok=… See its values: plugboard why x',
    })
  })
})
