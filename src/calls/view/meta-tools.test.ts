import { describe, expect, test } from 'vitest'
import { memoryContext } from '../../../test/support/memory-view.ts'
import { reservedNames } from './meta-tools.ts'
import { createView } from './create-view.ts'

const tool = (name: string, description: string) => ({ name, description, inputSchema: { type: 'object' } })

describe('createMetaTools', () => {
  test('results stay short, however long the descriptions of servers are', async () => {
    const words = `${'order '.repeat(1000)}end`
    const view = createView(
      memoryContext({ servers: { a: [tool('one', words), tool('two', 'An order\n of two.')] } }),
    )
    const { text } = await view.call('search_tools', { query: 'order' })
    const lines = text.split('\n').toSorted()
    const start = 'order '.repeat(50).slice(0, 199).trimEnd()
    expect(lines).toEqual([`a__one: ${start}…`, 'a__two: An order of two.'])
  })

  test('search_tools: the description names the servers, up to a limit', () => {
    const names = Array.from({ length: 60 }, (_, index) => `s${String(index).padStart(2, '0')}`)
    const servers = Object.fromEntries(names.map((name) => [name, ['t']]))
    const [search] = createView(memoryContext({ servers })).tools({ mode: 'search' })
    expect(search?.description.endsWith(`s48, s49 and 10 more.`)).toBe(true)
    const [none] = createView(memoryContext({ servers: {} })).tools({ mode: 'search', upTo: -1 })
    expect(none?.description).not.toContain('Servers')
  })

  test('the same servers give byte-identical tools', () => {
    const context = memoryContext({ servers: { a: ['one'], b: ['two'] } })
    const view = createView(context)
    const before = JSON.stringify(view.tools({ mode: 'search' }))
    expect(JSON.stringify(createView(context).tools({ mode: 'search' }))).toBe(before)
  })

  test('describe_tool: hidden characters of a description are removed (T16)', async () => {
    const view = createView(memoryContext({ servers: { a: [tool('one', 'Finds\u202e things')] } }))
    for (const call of [
      view.call('search_tools', { query: 'things' }),
      view.call('describe_tool', { name: 'a__one' }),
    ])
      expect((await call).text).not.toContain('\u202e')
  })

  test('invalid arguments of the three tools are reported', async () => {
    const view = createView(memoryContext({ servers: { a: ['one'] } }))
    await expect(view.call('search_tools', { limit: 0 })).rejects.toMatchObject({
      code: 'call.invalid-args',
      data: { ref: '/search_tools', problems: [{ path: 'query' }, { path: 'limit' }] },
    })
    await expect(view.call('call_tool', { name: 'a__one', arguments: 'x' })).rejects.toMatchObject({
      code: 'call.invalid-args',
      data: { ref: '/call_tool', problems: [{ path: 'arguments' }] },
    })
  })

  test('their names are reserved, and get a prefix if a native tool has the name (C11)', () => {
    expect(reservedNames([{ name: 'grep' }], undefined)).toEqual([
      'grep',
      'search_tools',
      'describe_tool',
      'call_tool',
      'load_skill',
      'find_skills',
    ])
    expect(reservedNames([{ name: 'call_tool' }], 'tools')).toEqual([
      'call_tool',
      'search_tools',
      'describe_tool',
      'plugboard_call_tool',
      'load_skill',
      'find_skills',
      'list_resources',
      'read_resource',
    ])
  })
})
