import { expect, test } from 'vitest'
import { askingServer, startGateway, textOf } from '../support/gateway.ts'
import type { Reply } from '../support/gateway.ts'

const capabilities = { elicitation: {}, sampling: {} }
const asking = { name: 'old__test_input_required_result_elicitation', arguments: {} }
const infoOf = (name: string) => ({ _meta: { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } } })
const stateOf = ({ body }: Reply) => (body.result as { readonly requestState?: string }).requestState ?? ''

function answersTo({ body }: Reply, name: string) {
  const [key = ''] = Object.keys(body.result?.['inputRequests'] as object)
  return { [key]: { action: 'accept', content: { name } } }
}

test('a client that never answers a question keeps no other one from being asked, and each gets its own call', async () => {
  await using started = await startGateway({ old: askingServer('legacy') })
  const silent = await started.modern('tools/call', { ...asking, ...infoOf('silent') }, { capabilities })
  expect(silent.body.result).toMatchObject({ resultType: 'input_required' })
  const dana = await started.modern('tools/call', { ...asking, ...infoOf('dana') }, { capabilities })
  expect(dana.body.result).toMatchObject({ resultType: 'input_required' })
  const next = { ...asking, requestState: stateOf(dana), inputResponses: answersTo(dana, 'Dana') }
  expect(textOf(await started.modern('tools/call', next, { capabilities }))).toBe('Hello, Dana!')
  const late = { ...asking, requestState: stateOf(silent), inputResponses: answersTo(silent, 'Sam') }
  expect(textOf(await started.modern('tools/call', late, { capabilities }))).toBe('Hello, Sam!')
})

test('the state of a question belongs to its request, and counts once', async () => {
  await using started = await startGateway({ old: askingServer('legacy') })
  const first = await started.modern('tools/call', asking, { capabilities })
  const answered = { requestState: stateOf(first), inputResponses: answersTo(first, 'Dana') }
  const other = { name: 'old__test_streaming_elicitation', arguments: {} }
  for (const wrong of [
    { ...other, ...answered },
    { ...asking, ...answered, arguments: { a: 1 } },
  ])
    expect((await started.modern('tools/call', wrong, { capabilities })).body.error).toMatchObject({
      code: -32602,
    })
  expect(textOf(await started.modern('tools/call', { ...asking, ...answered }, { capabilities }))).toBe(
    'Hello, Dana!',
  )
  const again = await started.modern('tools/call', { ...asking, ...answered }, { capabilities })
  expect(again.body.error).toMatchObject({ code: -32602 })
})
