import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client.ts'
import { openServe } from '../../src/surfaces/server/serve.ts'
import { appServer, appTool } from '../page/support/apps.ts'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { startModelServer } from '../support/model-server.ts'
import { ownFile } from '../support/servers.ts'

const folder = mkdtempSync(join(tmpdir(), 'plugboard-open-'))
afterAll(() => rmSync(folder, { recursive: true }))

const cart = 'ui://shop/cart'
const shown = {
  content: [{ type: 'text', text: 'A cart.' }],
  structuredContent: { items: 2 },
  _meta: { page: 7 },
}
const shop = appServer(join(folder, 'plan.json'), {
  tools: [appTool('show', { resourceUri: cart }), { name: 'plain', inputSchema: { type: 'object' } }],
  documents: { [cart]: { html: '<!doctype html><p>Cart' } },
  results: { show: shown },
})

const serveOn = (machine: Machine) =>
  openServe({
    discover: { cwd: machine.project, platform: { home: machine.home, env: machine.env } },
    port: 0,
    print: () => undefined,
  })

interface CallDocument {
  readonly view?: { readonly app: string; readonly call?: string; readonly address?: string }
}

describe('views of calls where there is no page', () => {
  test('call says that there is a view and where; open gives the address, and serve shows that result', async () => {
    using machine = createMachine({ [ownFile]: { mcpServers: { shop } } })
    const first = await machine.run('call', 'shop/show')
    expect([first.code, first.stdout.trim()]).toEqual([0, 'A cart.\n{\n  "items": 2\n}'])
    // Nothing keeps calls before a store was opened here.
    expect(first.stderr).toContain('This result has a view, which plugboard serve shows.')
    const served = await serveOn(machine)
    try {
      const client = createClient(served)
      // It keeps calls from its start on; no page was opened.
      await served.app()
      await expect.poll(() => machine.has('~/.local/state/plugboard/calls.jsonl')).toBe(true)
      const called = (await machine.json('call', 'shop/show', 'of=today')) as CallDocument
      const call = called.view?.call ?? ''
      expect(called).toEqual({
        content: shown.content,
        structuredContent: shown.structuredContent,
        view: { app: cart, call, address: `${served.address}/calls/${call}` },
      })
      const { stderr } = await machine.run('call', 'shop/show')
      expect(stderr).toMatch(
        new RegExp(`This result has a view: ${served.address}/calls/(\\S+) \\(plugboard open \\1\\)`),
      )
      expect(await machine.run('open', call)).toMatchObject({
        code: 0,
        stdout: `${served.address}/calls/${call}#k=${served.token}\n`,
      })
      const { app } = await client.send('POST /api/apps', { body: { call } })
      expect(app).toMatchObject({ uri: cart, args: { of: 'today' }, result: shown })
      const plain = (await machine.json('call', 'shop/plain')) as CallDocument
      expect(plain.view).toBeUndefined()
      expect(await machine.run('open', 'none')).toMatchObject({
        code: 5,
        stderr: expect.stringContaining('There is no call none.'),
      })
      const { calls } = await client.send('GET /api/calls', { query: { server: 'shop' } })
      const without = calls.find(({ tool }) => tool === 'plain')?.id ?? ''
      expect(await machine.run('open', without)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('of shop/plain has no view.'),
      })
      const link = await client.send('POST /api/calls/:call/link', { params: { call } })
      const opened = await fetch(link.address, { redirect: 'manual' })
      expect(opened.headers.get('location')).toBe(`/calls/${call}#k=${served.token}`)
      expect(link.address).not.toContain(served.token)
    } finally {
      await served.close()
    }
    expect(await machine.run('open', 'none')).toMatchObject({
      code: 7,
      stderr: expect.stringContaining('No "plugboard serve" runs, which shows views.'),
    })
  })

  test('run says which call has a view and where it is shown, in words and in its events', async () => {
    await using model = await startModelServer({ wire: 'openai-chat' })
    using machine = createMachine({
      [ownFile]: { mcpServers: { shop } },
      '~/.config/plugboard/settings.json': {
        model: 'fake/scripted',
        endpoints: { fake: { kind: 'openai-compatible', url: model.url } },
      },
    })
    const play = () => model.play([{ calls: [{ name: 'shop__show' }] }, { text: 'Here.' }])
    play()
    const { stderr } = await machine.run('run', 'Show it')
    const [, call = ''] = /view: plugboard serve, then plugboard open (\S+)/.exec(stderr) ?? []
    play()
    const { stdout } = await machine.run('run', 'Show it', '--json')
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; app?: string })
    expect(events.find(({ type }) => type === 'call.finished')).toMatchObject({
      app: cart,
      call: expect.any(String),
    })
    const served = await serveOn(machine)
    try {
      expect(await machine.json('open', call)).toEqual({
        call,
        url: `${served.address}/calls/${call}#k=${served.token}`,
        isOpened: false,
      })
      play()
      expect((await machine.run('run', 'Show it')).stderr).toMatch(
        new RegExp(`view: ${served.address}/calls/(\\S+) \\(plugboard open \\1\\)`),
      )
    } finally {
      await served.close()
    }
  })
})
