import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { startModelServer } from '../support/model-server.ts'
import type { ModelServer } from '../support/model-server.ts'

const key = 'key-of-the-person-1'
let server: ModelServer
let machine: Machine

beforeAll(async () => {
  const report = { calls: [{ name: 'report', args: { word: 'ready' } }] }
  server = await startModelServer({
    wire: 'openai-chat',
    script: () => report,
    key,
    models: ['small', 'large'],
  })
  machine = createMachine()
})
afterAll(async () => {
  machine[Symbol.dispose]()
  await server.stop()
})

const run = (...args: readonly string[]) => machine.runWith({ env: { CORP_KEY: key } }, ...args)

test('models: an endpoint is added, listed, chosen, tested and removed, in that order', async () => {
  const added = await run(
    'models',
    'add',
    'corp',
    '--kind',
    'openai-compatible',
    '--url',
    server.url,
    '--key',
    '${env:CORP_KEY}',
  )
  expect(added).toEqual({
    code: 0,
    stdout: 'The endpoint corp is in ~/.config/plugboard/settings.json.\n',
    stderr: 'See what it offers: plugboard models corp\n',
  })
  expect(await run('models', 'use', 'corp/smal')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('corp does not list a model "smal". Did you mean corp/small?') as string,
  })
  expect(await run('models', 'use', 'corp/small')).toMatchObject({
    code: 0,
    stderr: 'Test it: plugboard models test\n',
  })
  const proposed = await run('__complete', '--', 'models', '')
  expect(proposed.stdout.split('\n').slice(0, 7)).toEqual([
    'list',
    'add',
    'use',
    'remove',
    'test',
    'corp',
    'openai',
  ])
  const listed = await run('models', 'corp')
  expect({ ...listed, stdout: listed.stdout.replace(server.url, 'URL').replace(/ +$/gm, '') }).toEqual({
    code: 0,
    stdout:
      'ENDPOINT  STATE     KEY       URL\ncorp      2 models  CORP_KEY  URL\n\nMODEL\ncorp/small (default)\ncorp/large\n',
    stderr: '',
  })
  const tested = await run('models', 'test')
  expect(tested.stdout.replace(/in [\d.]+ s/, 'in N s')).toMatch(
    /^corp\/small answered in N s\nyes {2}it can be reached, and takes the key\nyes {2}it calls tools\nyes {2}it reports its usage: \d+ tokens in, \d+ out\n$/,
  )
  expect(tested.code).toBe(0)
  expect(await machine.run('models', 'test', 'corp/small')).toEqual({
    code: 8,
    stdout: '',
    stderr:
      '"endpoints.corp.key" needs CORP_KEY.\nSet it, or say where the key is: plugboard models add corp --key REFERENCE --force\n',
  })
  expect(await run('models', 'remove', 'corp')).toMatchObject({ code: 0 })
  expect(JSON.parse(machine.read('~/.config/plugboard/settings.json'))).toEqual({})
})

test('tools --cost: what each server and tool weighs, and the share of the window', async () => {
  const notes = ['--stdio', `${process.execPath} examples/start/servers/notes.mjs`]
  const here = { cwd: process.cwd() }
  const costs = await machine.runWith(here, 'tools', '--cost', '--model', 'openai/gpt-5', ...notes)
  expect(costs.stdout).toBe(
    [
      'TOOL           SERVER  TOKENS',
      'notes__search  notes       45',
      'notes__add     notes       35',
      '',
      'SERVER  TOOLS  TOKENS',
      'notes       2      80',
      '',
      '2 tools take about 80 tokens in every request: under 0.1 % of the window of openai/gpt-5 (400k).',
      '',
    ].join('\n'),
  )
})
