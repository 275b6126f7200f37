import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { HostEvent, JsonObject } from '../../src/index.ts'
import type { FaultyScript } from '../../src/testing.ts'
import { outcomeOf } from '../support/outcome.ts'
import { namesOf, newHome, serverWithTools, toolHost } from '../support/tool-host.ts'

const secret = 'tok-abcdefghijkl-123456'
const parted = 'tok-abc\u202Edefghij\u200Bkl-123456'
const capabilities = { tools: {}, resources: {}, prompts: {}, completions: {} }

/** A server that was given the secret and returns it wherever it can. */
function telling(tools: readonly (string | JsonObject)[], script: FaultyScript = {}): JsonObject {
  return { ...serverWithTools(tools, { capabilities, ...script }), env: { TOKEN: '${SECRET_TOKEN}' } }
}

function hostOf(entry: JsonObject, home = newHome()) {
  const env = { HOME: home, PATH: process.env['PATH'], SECRET_TOKEN: secret }
  return toolHost({ a: entry }, { home, platform: { env } })
}

/** All files below a directory, without the declarations, which contain the script of the server. */
function writtenIn(home: string): readonly string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name !== 'servers.json')
    .map((each) => readFileSync(join(each.parentPath, each.name), 'utf8'))
}

describe('secrets: a secret that a server was given is masked in (T35)', () => {
  test('its tools, resources and prompts, and in their cache', async () => {
    const home = newHome()
    const entry = telling(
      [
        {
          name: 't',
          title: `T ${secret}`,
          description: `Asks ${parted}`,
          inputSchema: { type: 'object', properties: { x: { type: 'string', default: secret } } },
        },
      ],
      {
        instructions: `Use ${secret}.`,
        resources: [{ uri: 'x://1', name: secret }],
        templates: [{ uriTemplate: 'x://{a}', name: 'x', description: secret }],
        prompts: [{ name: 'p', description: secret, arguments: [{ name: 'q', description: parted }] }],
      },
    )
    const look = async () => {
      await using x = await hostOf(entry, home)
      await x.host.ready()
      const [tool] = x.host.tools()
      return {
        tool: [tool?.title, tool?.description, tool?.inputSchema],
        instructions: x.host.instructions(),
        resources: x.host.resources().map(({ resource }) => resource),
        prompts: x.host.prompts().map(({ prompt }) => prompt),
        commands: x.host.commands().map(({ description, arguments: takes }) => ({ description, takes })),
      }
    }
    const argument = { name: 'q', description: '•••' }
    const offered = {
      tool: ['T •••', 'Asks •••', { type: 'object', properties: { x: { type: 'string', default: '•••' } } }],
      instructions: [{ server: 'a', text: 'Use •••.' }],
      resources: [
        { uri: 'x://1', name: '•••' },
        { uriTemplate: 'x://{a}', name: 'x', description: '•••' },
      ],
      prompts: [{ name: 'p', description: '•••', arguments: [argument] }],
      commands: [{ description: '•••', takes: [{ ...argument, required: false }] }],
    }
    expect(await look()).toEqual(offered)
    const kept = writtenIn(home)
    expect(kept.filter((text) => text.includes('Use •••.'))).toHaveLength(1)
    expect(kept.filter((text) => text.includes(secret))).toEqual([])
    // From the cache, before any secret is known.
    expect(await look()).toEqual(offered)
  })

  test('the cache: a list with a secret in a name is not stored', async () => {
    const home = newHome()
    const call = async () => {
      await using x = await hostOf(telling([`get-${secret}`]), home)
      await x.host.ready()
      return [namesOf(x.host), (await x.host.call(`a/get-${secret}`)).failed, x.spawns()]
    }
    const called = [[`a__get-${secret}`], false, 1]
    expect(await call()).toEqual(called)
    expect(writtenIn(home).filter((text) => text.includes(secret))).toEqual([])
    expect(await call()).toEqual(called)
  })

  test('its error responses', async () => {
    const error = { code: -5, message: `no ${secret}`, data: { header: `Bearer ${secret}` } }
    const refuse = { error }
    await using x = await hostOf(
      telling(['t'], {
        resources: [{ uri: 'x://1', name: 'x' }],
        prompts: [{ name: 'p' }],
        on: {
          'tools/call': refuse,
          'resources/read': refuse,
          'prompts/get': refuse,
          'completion/complete': refuse,
          'x/y': refuse,
        },
      }),
    )
    const { text, rpcError } = await x.host.call('a__t')
    expect([text, rpcError]).toEqual([
      'The server refused the call: no ••• (-5)\n{"header":"Bearer •••"}',
      { code: -5, message: 'no •••' },
    ])
    const refused = (method: string) => ({
      host: 'request.refused',
      message: '"a" answered: no •••',
      data: { server: 'a', method, error: { code: -5, message: 'no •••', data: { header: 'Bearer •••' } } },
    })
    expect([
      await outcomeOf(x.host.read('x://1')),
      await outcomeOf(x.host.prompt('a', 'p')),
      await outcomeOf(x.host.complete({ server: 'a', prompt: 'p', argument: 'q', value: '' })),
      await outcomeOf(x.host.request('a', 'x/y')),
    ]).toEqual(['resources/read', 'prompts/get', 'completion/complete', 'x/y'].map(refused))
  })

  test('its results, also if hidden characters split the secret (T17)', async () => {
    const content = { type: 'text', text: `<${parted}>` }
    await using x = await hostOf(
      telling(['t'], {
        resources: [{ uri: 'x://1', name: 'x' }],
        prompts: [{ name: 'p' }],
        on: {
          'tools/call': { result: { content: [content], structuredContent: { a: parted, b: 1 } } },
          'resources/read': { result: { contents: [{ uri: 'x://1', text: parted }] } },
          'prompts/get': { result: { messages: [{ role: 'user', content }] } },
        },
      }),
    )
    const { text, blocks, structured } = await x.host.call('a__t')
    expect([text, blocks, structured]).toEqual([
      '<•••>\n```json\n{"a":"•••","b":1}\n```',
      [{ type: 'text', text: '<•••>' }],
      { a: '•••', b: 1 },
    ])
    expect(await x.host.read('x://1')).toMatchObject([{ kind: 'text', text: '•••' }])
    expect(await x.host.prompt('a', 'p')).toEqual({
      messages: [{ role: 'user', blocks: [{ type: 'text', text: '<•••>' }] }],
    })
  })

  test('its progress and completions, which contain no terminal codes either (T17 T18)', async () => {
    const progress = [{ progress: { message: `at ${secret} \u001B[2Jx` } }, 'answer']
    const values = [parted, 'a\u001B[2Jb', 'plain']
    await using x = await hostOf(
      telling(['t'], {
        resources: [{ uri: 'x://1', name: 'x' }],
        prompts: [{ name: 'p' }],
        on: {
          'tools/call': progress,
          'resources/read': progress,
          'completion/complete': { result: { completion: { values } } },
        },
      }),
    )
    const heard: unknown[] = []
    const onProgress = (each: unknown) => void heard.push(each)
    await x.host.call('a__t', {}, { onProgress })
    await x.host.read('x://1', { onProgress })
    const told = { progress: 1, message: 'at ••• x' }
    expect(heard).toEqual([told, told])
    const isProgress = ({ type }: HostEvent) => type === 'call.progressed'
    expect(x.events.filter(isProgress)).toMatchObject([{ ref: 'a/t', ...told }])
    const { values: shown } = await x.host.complete({ server: 'a', prompt: 'p', argument: 'q', value: '' })
    expect(shown).toEqual(['•••', 'ab', 'plain'])
  })
})
