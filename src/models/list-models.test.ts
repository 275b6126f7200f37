import { describe, expect, test } from 'vitest'
import { serve } from '../../test/support/http-server.ts'
import type { RequestHandler } from '../../test/support/http-server.ts'
import { createPerson } from '../../test/support/person.ts'
import { listModels } from './list-models.ts'
import { openModel } from './open-model.ts'

async function endpointAt(handle: RequestHandler, entry: object = {}) {
  const server = await serve(handle)
  const mine = { kind: 'openai-compatible', url: `${server.url.origin}/v1`, ...entry }
  const { platform } = createPerson({ '~/.config/plugboard/settings.json': { endpoints: { mine } } })
  const list = async () => (await listModels({ platform, endpoint: 'mine', timeoutMs: 2000 })).endpoints[0]
  return { server, platform, list }
}

const answering =
  (body: unknown): RequestHandler =>
  (_, response) =>
    void response.end(typeof body === 'string' ? body : JSON.stringify(body))

describe('what an endpoint lists', () => {
  test('the windows of vLLM, llama.cpp and OpenRouter are read; what is no model is left out', async () => {
    const { list, platform } = await endpointAt(
      answering({
        data: [
          { id: 'a', max_model_len: 8192 },
          { id: 'b', meta: { n_ctx_train: 4096 } },
          { id: 'org/c', context_length: 1000, display_name: 'C' },
          { id: 'd', max_model_len: 'many' },
          { id: 'a\u001b[2J' },
          { id: 'x'.repeat(500) },
          5,
          null,
          {},
        ],
      }),
      { models: { d: { window: 7 } } },
    )
    expect((await list())?.models).toEqual([
      { ref: 'mine/a', id: 'a', window: 8192 },
      { ref: 'mine/b', id: 'b', window: 4096 },
      { ref: 'mine/org/c', id: 'org/c', window: 1000, title: 'C' },
      { ref: 'mine/d', id: 'd', window: 7 },
    ])
    const windows = ['a', 'org/c', 'd', 'unlisted'].map(
      async (id) => (await openModel(`mine/${id}`, { platform })).window,
    )
    expect(await Promise.all(windows)).toEqual([8192, 1000, 7, undefined])
  })

  test('pages of Anthropic and Google are followed, and end', async () => {
    const anthropic = await endpointAt(
      ({ path }, response) => {
        const after = new URL(path, 'http://x').searchParams.get('after_id')
        response.end(JSON.stringify({ data: [{ id: `m${after ?? ''}` }], has_more: true, last_id: '1' }))
      },
      { kind: 'anthropic' },
    )
    expect((await anthropic.list())?.models.map(({ id }) => id)).toEqual(['m', 'm1'])
    expect(anthropic.server.seen).toHaveLength(20)
    const google = await endpointAt(
      ({ path }, response) => {
        const token = new URL(path, 'http://x').searchParams.get('pageToken')
        const chat = { supportedGenerationMethods: ['generateContent'] }
        const models =
          token === null
            ? [{ name: 'models/g1', inputTokenLimit: 9, outputTokenLimit: 3, ...chat }]
            : [
                { name: 'models/g2', ...chat },
                { name: 'models/e', supportedGenerationMethods: ['embedContent'] },
              ]
        response.end(JSON.stringify({ models, ...(token === null && { nextPageToken: 't' }) }))
      },
      { kind: 'google' },
    )
    expect((await google.list())?.models).toEqual([
      { ref: 'mine/g1', id: 'g1', window: 9, maxOutput: 3 },
      { ref: 'mine/g2', id: 'g2' },
    ])
  })

  test.each([
    ['<html>', 'unreachable', 'mine did not answer with a list of models.'],
    ['x'.repeat(9 * 1024 * 1024), 'unreachable', 'mine sent more than 8 MiB as its list of models.'],
  ])('an answer that is no list is a row with the reason (%#)', async (body, state, message) => {
    const { list } = await endpointAt(answering(body))
    expect(await list()).toMatchObject({ state, problem: { message }, models: [] })
  })

  test('an endpoint that does not answer is a row; one that refuses the key is another', async () => {
    const { platform } = await endpointAt(() => undefined)
    const silent = (await listModels({ platform, endpoint: 'mine', timeoutMs: 50 })).endpoints
    expect(silent).toMatchObject([
      { state: 'unreachable', problem: { message: expect.any(String) as string } },
    ])
    const refusing = await endpointAt((_, response) => void response.writeHead(401).end('{}'), {
      key: '${NONE:-abc}',
    })
    expect(await refusing.list()).toMatchObject({ state: 'refused', models: [] })
  })

  test('the default is that of the settings, and built-in endpoints without a key are not asked', async () => {
    const { platform } = createPerson({ '~/.config/plugboard/settings.json': { model: 'openai/gpt-5' } })
    const { default: chosen, endpoints } = await listModels({ platform, endpoint: 'openai' })
    expect({ chosen, endpoints }).toEqual({
      chosen: 'openai/gpt-5',
      endpoints: [
        {
          name: 'openai',
          title: 'OpenAI',
          kind: 'openai',
          url: 'https://api.openai.com/v1',
          isBuiltIn: true,
          state: 'no-key',
          keyVariables: ['OPENAI_API_KEY'],
          models: [],
        },
      ],
    })
  })
})
