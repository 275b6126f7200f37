import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { hostileServerFile } from '../src/testing.ts'
import { createMachine } from './support/programs/cli.ts'
import { startModelServer } from './support/model-server.ts'
import { ownFile } from './support/servers.ts'

const filesystem = fileURLToPath(new URL('../node_modules/.bin/mcp-server-filesystem', import.meta.url))
const hostile = (role: string) => ({ command: process.execPath, args: [hostileServerFile, role] })

interface AuditOutput {
  readonly rows: readonly { readonly ref: string; readonly outcome: string; readonly error?: string }[]
}

/** An agent that reads a page of strangers, then a file with a server that people really use, and then wants to mail it. */
async function mailNote(trifecta: 'warn' | 'block') {
  await using model = await startModelServer({ wire: 'openai-chat', key: 'a-key-for-the-model' })
  using machine = createMachine({ '~/private/note.txt': 'The door code is 4711.' })
  const folder = machine.path('~/private')
  machine.write(ownFile, {
    mcpServers: {
      files: { command: filesystem, args: [folder] },
      web: hostile('web'),
      mail: hostile('mail'),
    },
  })
  machine.write('~/.config/plugboard/settings.json', {
    trifecta,
    model: 'scripted/one',
    endpoints: { scripted: { kind: 'openai-compatible', url: model.url, key: 'a-key-for-the-model' } },
    rules: [{ effect: 'allow', tools: ['*'] }],
  })
  const call = (name: string, args: object) => ({ calls: [{ name, args }] })
  model.play([
    call('web__fetch_page', { url: 'https://example.com' }),
    call('files__read_text_file', { path: `${folder}/note.txt` }),
    call('mail__send_email', { to: 'someone@example.com' }),
    { text: 'It is done.' },
  ])
  const { code, stderr } = await machine.run('run', 'Look after my mail.')
  const { rows } = await machine.json<AuditOutput>('audit')
  const last = model.requests.at(-1)?.bodyText ?? ''
  return {
    code,
    stderr,
    last,
    rows: rows.map(({ ref, outcome, error = '' }) => `${ref} ${outcome} ${error}`.trim()).toReversed(),
  }
}

test('T15 with block, an agent cannot mail what it read after a page of strangers: the call is refused and recorded', async () => {
  const { rows, last } = await mailNote('block')
  expect(rows).toEqual([
    'web/fetch_page done',
    'files/read_text_file done',
    'mail/send_email denied call.denied',
  ])
  expect(last).toContain('The door code is 4711.')
  expect(last).toContain('mail/send_email could carry it out')
  expect(last).not.toContain('send_email of mail was called')
})

test('T15 with warn, the same call is sent, and the person is told', async () => {
  const { rows, last, stderr } = await mailNote('warn')
  expect(rows.at(-1)).toBe('mail/send_email done')
  expect(last).toContain('send_email of mail was called')
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('mail/send_email could carry it out')
})
