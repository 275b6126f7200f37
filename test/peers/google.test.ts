import { GoogleGenAI } from '@google/genai'
import type { Content } from '@google/genai'
import { expect, test } from 'vitest'
import { toGoogle } from '../../src/adapters/google.ts'
import { conclusion, expectOffered, mission, model, prompt } from '../adapters/mission.ts'
import { startModel } from '../adapters/model-server.ts'

test('toGoogle: a model uses the tools of two real servers', async () => {
  await using x = await mission()
  await using served = await startModel(model)
  expect(JSON.parse(await converse())).toEqual(conclusion)
  expectOffered(served.turns)

  async function converse(): Promise<string> {
    const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: served.url } })
    const { tools, run } = await toGoogle(x.host)
    const contents: Content[] = [{ role: 'user', parts: [{ text: prompt }] }]
    for (;;) {
      const response = await client.models.generateContent({ model: 'scripted', contents, config: { tools } })
      const parts = await run(response)
      if (parts.length === 0) return response.text ?? ''
      contents.push(response.candidates![0]!.content!, { role: 'user', parts })
    }
  }
})

test('toGoogle: run takes a response, its content and its calls', async () => {
  await using x = await mission()
  await using served = await startModel(() => ({
    calls: [{ name: 'everything__echo', args: { message: 'hello' } }],
  }))
  const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: served.url } })
  const { tools, run } = await toGoogle(x.host)
  const response = await client.models.generateContent({
    model: 'scripted',
    contents: prompt,
    config: { tools },
  })
  for (const given of [response, response.candidates![0]!.content!, response.functionCalls!])
    expect(await run(given)).toEqual([
      {
        functionResponse: { id: 'call_0_0', name: 'everything__echo', response: { output: 'Echo: hello' } },
      },
    ])
})
