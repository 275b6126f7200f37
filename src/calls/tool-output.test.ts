import { expect, test } from 'vitest'
import type { Json } from '../model/json.ts'
import { maskTexts } from '../model/mask-texts.ts'
import { Redactor } from '../model/secrets/redactor.ts'
import { maskOutput } from './tool-output.ts'

const secret = 'hunter2-hunter2'
const redactor = new Redactor()
redactor.register(secret)
const mask = (text: string) => redactor.maskKnown(text)

test('maskOutput: masks a known secret everywhere in a result except in base64 (D-9)', () => {
  const bytes = Buffer.from(secret).toString('base64')
  const output = {
    blocks: [
      { type: 'text', text: `key: ${secret}`, _meta: { [secret]: [secret] } },
      { type: 'image', mimeType: 'image/png', data: bytes },
      { type: 'resource', resource: { uri: `file:///${secret}`, blob: bytes } },
      { type: 'text', data: secret },
    ],
    structured: { data: secret, list: [1, null, { deep: secret }] },
    failed: false,
    rpcError: { code: -1, message: `no ${secret}`, data: { header: [`Bearer ${secret}`] } },
  }
  expect(maskOutput(output, mask)).toEqual({
    blocks: [
      { type: 'text', text: 'key: •••', _meta: { '•••': ['•••'] } },
      { type: 'image', mimeType: 'image/png', data: bytes },
      { type: 'resource', resource: { uri: 'file:///•••', blob: bytes } },
      { type: 'text', data: '•••' },
    ],
    structured: { data: '•••', list: [1, null, { deep: '•••' }] },
    failed: false,
    rpcError: { code: -1, message: 'no •••', data: { header: ['Bearer •••'] } },
  })
})

test('maskOutput: masks only known secrets; a text that only looks like one may be data (D-9)', () => {
  const text = 'postgres://ada:lovelace@localhost/db AKIAABCDEFGHIJKLMNOP'
  expect([mask(text), redactor.redact(text)]).toEqual([text, 'postgres://ada:•••@localhost/db •••'])
})

test('maskTexts: returns the same object if there is no secret, even with a key __proto__', () => {
  const value = JSON.parse('{"__proto__":{"a":["x",1,null,true]}}') as Json // the text above is JSON
  expect(maskTexts(value, mask)).toBe(value)
})
