import { describe, expect, test } from 'vitest'
import { httpOf, serverOf } from '../../../test/support/server.ts'
import { HostError } from '../../model/error.ts'
import { Redactor } from '../../model/secrets/redactor.ts'
import { Secret } from '../../model/secret.ts'
import type { Authority } from '../../model/server.ts'
import { plugboard } from '../../sources/clients/plugboard/plugboard.ts'
import type { World } from '../../sources/source.ts'
import { createFakePlatform } from '../../testing/fake-platform.ts'
import { trustQuestionFor } from '../trust/trust-grants.ts'
import { previewValues } from './preview-values.ts'
import { resolveTrusted } from './resolve-trusted.ts'

const world: World = {
  os: 'linux',
  home: '/home/dana',
  cwd: '/home/dana/shop',
  systemRoot: '/',
  dirs: ['/home/dana/shop'],
  env: {},
}

type Find = (service: string, account: string) => Promise<string | undefined>

const refuse = () => Promise.reject(new Error('canary: locked'))

/** A server with a header from the keychain, and a keychain whose lookups are recorded and answered by `find`. */
function setUp(reference: string, find: Find | undefined, authority: Authority = 'user') {
  const asked: string[] = []
  const watched = find && {
    find: (service: string, account: string) => {
      asked.push(`${service} ${account}`)
      return find(service, account)
    },
  }
  const platform = createFakePlatform(
    find ? { keychain: { read: refuse, write: refuse, remove: refuse, ...watched } } : {},
  )
  const transport = httpOf('https://a.example', { headers: { 'X-Key': `\${keychain:${reference}}` } })
  const server = serverOf('a', { transport, origin: { file: '/home/dana/shop/mcp.json', authority } })
  const redactor = new Redactor()
  const resolve = (granted?: readonly string[]) =>
    resolveTrusted(server, {
      source: plugboard,
      world,
      platform,
      trust: 'trusted',
      redactor,
      ...(granted && { granted }),
    })
  return { asked, platform, server, redactor, resolve }
}

async function failure(promise: Promise<unknown>): Promise<HostError> {
  const error: unknown = await promise.catch((caught: unknown) => caught)
  if (error instanceof HostError) return error
  throw new Error(`expected a HostError, got ${String(error)}`)
}

describe('D-9 C19 keychain value', () => {
  test('is looked up by its service and its account, and hidden everywhere (T35)', async () => {
    const { asked, resolve, redactor } = setUp('git:https://git.example/dana', async () => 'hunter2hunter2')
    const { transport } = await resolve()
    const found = transport.kind === 'stdio' ? undefined : transport.headers['X-Key']
    expect(asked).toEqual(['git:https://git.example dana'])
    expect([found instanceof Secret && found.reveal(), String(found)]).toEqual(['hunter2hunter2', '•••'])
    expect(redactor.redact('it is hunter2hunter2')).toBe('it is •••')
  })

  test.each([
    ['an item that does not exist', 'work/dana', async () => undefined, 'it is not in your keychain'],
    ['a locked keychain', 'work/dana', refuse, 'no keychain is available, or it is locked'],
    ['no keychain', 'work/dana', undefined, 'no keychain is available, or it is locked'],
    ['a reference without an account', 'work', async () => 'x', 'write it as service/account'],
    ['a reference without a service', '/dana', async () => 'x', 'write it as service/account'],
  ])('%s: the error has the reason and the next step', async (_what, reference, find, why) => {
    const error = await failure(setUp(reference, find).resolve())
    expect([error.code, error.message, error.hint]).toEqual([
      'value.unresolved',
      `"a" cannot start without \${keychain:${reference}} (${why}).`,
      'Unlock your keychain, and store the value there under that service and account. See its values: plugboard why a',
    ])
  })

  test('T32 is never taken from the stored logins of other servers', async () => {
    for (const service of ['plugboard', 'Plugboard', ' plugboard ']) {
      const { asked, resolve } = setUp(`${service}/0123456789`, async () => 'canary')
      expect((await failure(resolve())).message).toContain('stored logins cannot be used as values')
      expect(asked).toEqual([])
    }
  })

  test('T06 is given to a project server only after a person granted exactly this item', async () => {
    const { asked, server, platform, resolve } = setUp('work/dana', async () => 'given', 'project')
    const rules = plugboard.valuesOf(server, world)
    expect((await trustQuestionFor(server, rules, platform.files)).variables).toEqual(['keychain:work/dana'])
    expect((await failure(resolve([]))).message).toBe('"a" was not granted keychain:work/dana.')
    expect(asked).toEqual([])
    await resolve(['keychain:work/dana'])
    expect(asked).toEqual(['work dana'])
  })

  test('is not looked up for a preview', async () => {
    const { asked, server } = setUp('work/dana', async () => 'x')
    expect(await previewValues(server, plugboard, world)).toEqual({
      unresolved: { 'headers.X-Key': '${keychain:work/dana} is looked up only at start' },
    })
    expect(asked).toEqual([])
  })
})
