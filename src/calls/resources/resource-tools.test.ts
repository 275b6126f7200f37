import { describe, expect, test } from 'vitest'
import { listResources, resourceTools } from './resource-tools.ts'

describe('resource tools (D21)', () => {
  const offered = [
    {
      server: 'fs',
      resource: { uri: 'file:///a', name: 'a', title: 'The A', mimeType: 'text/plain', size: 5 },
    },
    { server: 'fs', resource: { uriTemplate: 'file:///{path}', name: 'any', description: 'Any\nfile' } },
    { server: 'db', resource: { uri: 'file:///a', name: 'same' } },
  ]

  test('list_resources and read_resource are read-only', () => {
    expect(resourceTools.map(({ name, annotations }) => [name, annotations])).toEqual([
      ['list_resources', { readOnlyHint: true }],
      ['read_resource', { readOnlyHint: true }],
    ])
  })

  test('listResources: one line per resource', () => {
    expect(listResources(offered)).toBe(
      'fs: file:///a (text/plain, 5 bytes) – The A\nfs: template file:///{path} – any: Any file\ndb: file:///a – same',
    )
    expect(listResources(offered, { server: 'db' })).toBe('db: file:///a – same')
    expect(listResources(offered, { query: 'ANY' })).toBe('fs: template file:///{path} – any: Any file')
    expect(listResources(offered, { query: 'nothing' })).toBe('(no resources)')
  })

  test('listResources: a long list ends with the number of omitted resources', () => {
    const many = Array.from({ length: 250 }, (_, index) => ({ server: 's', resource: { uri: `x:${index}` } }))
    const lines = listResources(many).split('\n')
    expect([lines.length, lines.at(-1)]).toEqual([201, '[50 more: narrow it with "query" or "server"]'])
  })
})
