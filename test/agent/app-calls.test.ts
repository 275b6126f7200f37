import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { readPartialInput } from '../../src/apps.ts'
import { appServer, appTool } from '../page/support/apps.ts'
import { runAgent } from '../support/agent-run.ts'
import { wires } from '../support/model-server.ts'

const folder = mkdtempSync(join(tmpdir(), 'plugboard-app-calls-'))
afterAll(() => rmSync(folder, { recursive: true }))

const app = 'ui://shop/cart'
const plan = {
  tools: [appTool('show', { resourceUri: app }), { name: 'plain', inputSchema: { type: 'object' } }],
  documents: { [app]: { html: '<p>Cart' } },
}

describe('calls of tools with apps', () => {
  test.each(wires)(
    'what a model writes is told piece by piece, with the id that the call has later: %s',
    async (wire) => {
      const args = { note: 'x '.repeat(100), items: [1, 2, { n: 'three' }] }
      const run = await runAgent({
        wire,
        script: [
          {
            calls: [
              { name: 'shop__show', args },
              { name: 'shop__plain', args },
            ],
          },
          { text: 'Done.' },
        ],
        servers: { shop: appServer(join(folder, `${wire}.json`), plan) },
      })
      expect((await run.ask('Show it')).outcome).toBe('done')
      const drafts = run.eventsOf('call.drafted')
      const [shown, plain] = run.eventsOf('call.started')
      expect(shown).toMatchObject({ ref: 'shop/show', call: expect.any(String), app, args })
      expect(plain).not.toHaveProperty('call')
      expect(readPartialInput(drafts.map(({ text }) => text).join(''))).toEqual(args)
      expect(new Set(drafts.map(({ call, ref, app: address }) => `${call} ${ref} ${address}`))).toEqual(
        new Set([`${shown?.call} shop/show ${app}`]),
      )
      expect(run.eventsOf('call.finished')[0]).toMatchObject({ call: shown?.call, app, outcome: 'done' })
    },
  )
})
