import { assert, constantFrom, jsonValue, nat, property } from 'fast-check'
import { expect, test } from 'vitest'
import { splitAnswer } from './answer-text.ts'

const result = '{"tools":[{"name":"a, \\"id\\":7}"}]}'

test('D15 an answer is split in the orders of keys that SDKs write', () => {
  expect(splitAnswer(`{"jsonrpc":"2.0","id":12,"result":${result}}`)).toEqual({ id: 12, rest: `${result}}` })
  expect(splitAnswer(`{"jsonrpc": "2.0", "id": 12, "result": ${result}}\r`)).toEqual({
    id: 12,
    rest: ` ${result}}\r`,
  })
  expect(splitAnswer(`{"result":${result},"jsonrpc":"2.0","id":3}`)).toEqual({
    id: 3,
    rest: `{"result":${result}`,
  })
})

test('D15 any other text is left to the parser', () => {
  for (const text of [
    '{"jsonrpc":"2.0","id":"12","result":{}}',
    '{"jsonrpc":"2.0","id":12,"error":{}}',
    '{"id":12,"jsonrpc":"2.0","result":{}}',
    '{"jsonrpc":"2.0","method":"x","params":{"id":1,"result":{}}}',
    '{"result":{},"jsonrpc":"2.0","id":"3"}',
    '{"result":{"jsonrpc":"2.0","id":3}}',
    '[]',
    '',
  ])
    expect(splitAnswer(text)).toBeUndefined()
})

test('D15 answers with the same rest have the same result (property)', () => {
  const orders = constantFrom(
    (id: number, value: unknown) => JSON.stringify({ jsonrpc: '2.0', id, result: value }),
    (id: number, value: unknown) => JSON.stringify({ result: value, jsonrpc: '2.0', id }),
  )
  assert(
    property(orders, nat(), nat(), jsonValue(), jsonValue(), (write, one, two, a, b) => {
      const [first, second] = [splitAnswer(write(one, a)), splitAnswer(write(two, b))]
      expect([first?.id, second?.id]).toEqual([one, two])
      expect(first?.rest === second?.rest).toBe(JSON.stringify(a) === JSON.stringify(b))
    }),
  )
})
