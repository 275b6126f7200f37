import { describe, expect, test } from 'vitest'
import { namingSchemes } from '../../model/preset.ts'
import type { NamingScheme } from '../../model/preset.ts'
import type { Layer } from '../../policy/layers.ts'
import { memoryContext } from '../../../test/support/memory-view.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import { createVisibility } from './visibility.ts'
import type { CatalogWaitOptions, ViewContext } from './view-context.ts'
import { beforeSending, createWaits } from './wait-for-servers.ts'

interface Awaited {
  readonly servers: readonly string[] | 'all'
  readonly timeoutMs?: CatalogWaitOptions['timeoutMs']
}

/** What a view of these servers waits for. */
async function awaited(
  act: (waits: ReturnType<typeof createWaits>) => Promise<void>,
  {
    servers,
    layers = [],
    scheme = 'double',
  }: {
    readonly servers: readonly string[]
    readonly layers?: readonly Layer[]
    readonly scheme?: NamingScheme
  },
): Promise<readonly Awaited[]> {
  const seen: Awaited[] = []
  const made = memoryContext({ servers: Object.fromEntries(servers.map((name) => [name, []])), layers })
  const context: ViewContext = {
    ...made,
    calling: { ...made.calling, naming: namingSchemes[scheme] },
    async wait(names, { timeoutMs }) {
      seen.push({ servers: names, ...(timeoutMs !== undefined && { timeoutMs }) })
    },
  }
  await act(createWaits(context, createVisibility(context, {})))
  return seen
}

describe('D-4 the servers that a name concerns', () => {
  const settled = (...servers: readonly string[]) => [{ servers, timeoutMs: 'settled' }]

  test.each([
    ['double', ['git', 'git_hub', 'hang'], 'git__hub__x', ['git']],
    ['double', ['good', 'hang'], 'good/echo', ['good']],
    ['double', ['good', 'goo'], 'good__echo', ['good']],
    // Under `_`, the end of the server's name cannot be told from the begin of the tool's.
    ['single', ['git', 'git_hub', 'hang'], 'git_hub_search', ['git', 'git_hub']],
    ['single', ['git', 'git_hub', 'hang'], 'git_search', ['git']],
    ['mcp', ['a', 'a-b', 'hang'], 'mcp_a_b_c', ['a', 'a-b']],
    // omp drops digits and joins underscores, so that names of servers coincide.
    ['omp', ['context', 'context7', 'hang'], 'mcp_context_query', ['context', 'context7']],
    ['omp', ['my.server', 'my', 'hang'], 'mcp_my_server_do_it', ['my.server', 'my']],
    ['omp', ['puppeteer', 'hang'], 'mcp_puppeteer_screenshot', ['puppeteer']],
  ] as const)(
    '%s, servers %j: %s waits for %j as long as they take',
    async (scheme, servers, name, owners) => {
      expect(await awaited((waits) => waits.forTool(name), { servers, scheme })).toEqual(settled(...owners))
    },
  )

  test.each([
    ['double', 'nothing__x'],
    ['omp', 'echo'],
  ] as const)('%s: %s fits no server and waits for all, as ready() does', async (scheme, name) => {
    const servers = ['good', 'hang']
    expect(await awaited((waits) => waits.forTool(name), { servers, scheme })).toEqual([{ servers: 'all' }])
  })

  test.each(['nothing/x', 'nothing/'.concat('y'.repeat(80))])(
    'the ref %s of no server waits for none',
    async (ref) => {
      const servers = ['good', 'hang']
      expect(await awaited((waits) => waits.forTool(ref), { servers })).toEqual([])
    },
  )

  test('a name that is only a hash may belong to any server', async () => {
    const servers = ['good', 'hang']
    const name = `t_${'0123456789abcdef'.repeat(4).slice(0, 62)}`
    expect(await awaited((waits) => waits.forTool(name), { servers })).toEqual(settled(...servers))
  })

  test('a cut name waits for the servers whose names begin alike', async () => {
    const long = 'a'.repeat(60)
    const servers = [`${long}1`, `${long}2`, 'hang']
    const name = `${long.slice(0, 54)}_h01234567`
    expect(await awaited((waits) => waits.forTool(name), { servers })).toEqual(
      settled(`${long}1`, `${long}2`),
    )
  })

  test('a time limit of the caller counts, for owners and for all', async () => {
    const servers = ['good', 'hang']
    const limited = { timeoutMs: 50 }
    expect(await awaited((waits) => waits.forTool('good__x', limited), { servers })).toEqual([
      { servers: ['good'], timeoutMs: 50 },
    ])
    expect(await awaited((waits) => waits.all(limited), { servers })).toEqual([
      { servers: 'all', timeoutMs: 50 },
    ])
  })
})

describe('D-4 a view does not wait for servers that it hides', () => {
  const servers = ['good', 'hang']
  const layers: readonly Layer[] = [{ kind: 'agent', tools: ['good__*'] }]

  test('ready() waits for those that it may show', async () => {
    expect(await awaited((waits) => waits.all(), { servers, layers })).toEqual([{ servers: ['good'] }])
  })

  test('a tool of a hidden server waits for the others: it is unknown here', async () => {
    expect(await awaited((waits) => waits.forTool('hang__x'), { servers, layers })).toEqual([
      { servers: ['good'] },
    ])
    expect(await awaited((waits) => waits.forTool('hang/x'), { servers, layers })).toEqual([])
  })
})

describe('beforeSending', () => {
  const clock = createFakeClock()
  const request = { method: 'tools/call', server: 'x', clock }

  test('an abort is the error of a request that was not sent; another error stays', async () => {
    const signal = AbortSignal.abort()
    await expect(
      beforeSending(Promise.reject(new Error('aborted')), { ...request, signal }),
    ).rejects.toMatchObject({
      code: 'call.cancelled',
      data: { server: 'x', method: 'tools/call', sent: false },
    })
    await expect(beforeSending(Promise.reject(new Error('other')), request)).rejects.toThrow('other')
    await expect(beforeSending(Promise.resolve(), request)).resolves.toBeUndefined()
  })

  test("at the caller's deadline it is the error of a request that was not sent", async () => {
    const never = new Promise<void>(() => undefined)
    const limits = { ...request, maxTimeoutMs: 1000, deadline: clock.monotonic() + 300 }
    const outcome = beforeSending(never, limits).catch((error: unknown) => error)
    await clock.advance(300)
    expect(await outcome).toMatchObject({
      code: 'call.timeout',
      message: '"x" was not ready within 1000 ms; nothing was sent.',
      data: { server: 'x', method: 'tools/call', sent: false },
    })
  })
})
