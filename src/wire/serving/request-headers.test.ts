import { describe, expect, test } from 'vitest'
import { checkHeaders, checkParamHeaders } from './request-headers.ts'
import type { ReceivedHeaders } from './request-headers.ts'

const mismatch = expect.objectContaining({ code: -32020 }) as Error
const encoded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

function refusalOf(check: () => void): unknown {
  try {
    check()
    return undefined
  } catch (error) {
    return error
  }
}

describe('checkHeaders', () => {
  test.each<[string, ReceivedHeaders, unknown]>([
    ['the same method and name', { 'mcp-method': 'tools/call', 'mcp-name': 'größe' }, undefined],
    ['blanks around a value', { 'mcp-method': ' tools/call ', 'mcp-name': '\tgröße ' }, undefined],
    ['an encoded name', { 'mcp-method': 'tools/call', 'mcp-name': encoded('größe') }, undefined],
    ['no method', { 'mcp-name': 'größe' }, mismatch],
    ['no name', { 'mcp-method': 'tools/call' }, mismatch],
    ['a name of another tool', { 'mcp-method': 'tools/call', 'mcp-name': 'x' }, mismatch],
    ['another method', { 'mcp-method': 'tools/list', 'mcp-name': 'größe' }, mismatch],
    ['another case', { 'mcp-method': 'TOOLS/CALL', 'mcp-name': 'größe' }, mismatch],
    ['a name twice', { 'mcp-method': 'tools/call', 'mcp-name': ['größe', 'größe'] }, mismatch],
    ['invalid base64', { 'mcp-method': 'tools/call', 'mcp-name': '=?base64?SGVsbG8?=' }, mismatch],
  ])('%s', (_, headers, expected) => {
    expect(refusalOf(() => checkHeaders(headers, 'tools/call', { name: 'größe' }))).toEqual(expected)
  })

  test('each method has its own name: the address of a resource, the id of a task', () => {
    const read = () =>
      checkHeaders({ 'mcp-method': 'resources/read', 'mcp-name': 'a:b' }, 'resources/read', { uri: 'a:b' })
    const task = () =>
      checkHeaders({ 'mcp-method': 'tasks/get', 'mcp-name': 't' }, 'tasks/get', { taskId: 'other' })
    expect([refusalOf(read), refusalOf(task)]).toEqual([undefined, mismatch])
  })
})

describe('checkParamHeaders', () => {
  const schema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }

  test.each<[string, ReceivedHeaders, Record<string, string>, unknown]>([
    ['the same value', { 'mcp-param-region': 'eu' }, { region: 'eu' }, undefined],
    ['an encoded value', { 'mcp-param-region': encoded('Zürich') }, { region: 'Zürich' }, undefined],
    [
      'a value that only looks encoded',
      { 'mcp-param-region': '=?base64?eA==' },
      { region: '=?base64?eA==' },
      undefined,
    ],
    ['no header', {}, { region: 'eu' }, mismatch],
    ['a header without an argument', { 'mcp-param-region': 'eu' }, {}, mismatch],
    ['another value', { 'mcp-param-region': 'us' }, { region: 'eu' }, mismatch],
    ['headers of others', { 'mcp-param-other': 'x' }, {}, undefined],
  ])('%s', (_, headers, args, expected) => {
    expect(refusalOf(() => checkParamHeaders(headers, schema, args))).toEqual(expected)
  })
})
