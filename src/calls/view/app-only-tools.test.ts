import { expect, test } from 'vitest'
import { memoryContext } from '../../../test/support/memory-view.ts'
import type { HostError } from '../../model/error.ts'
import type { JsonObject } from '../../model/json.ts'
import type { ToolDefinition } from '../../model/tool.ts'
import { createView } from './create-view.ts'

const tool = (name: string, meta?: JsonObject): ToolDefinition => ({
  name,
  description: `Writes the log ${name}`,
  inputSchema: { type: 'object' },
  ...(meta && { _meta: meta }),
})

test.each<[string, JsonObject, boolean]>([
  ['nested, app only', { ui: { visibility: ['app'] } }, false],
  ['nested, both', { ui: { visibility: ['model', 'app'] } }, true],
  ['nested, empty', { ui: { visibility: [] } }, false],
  ['nested, app twice', { ui: { visibility: ['app', 'app'] } }, false],
  ['nested, not a list', { ui: { visibility: 'app' } }, false],
  ['nested wins over flat', { ui: { visibility: ['model'] }, 'ui/visibility': ['app'] }, true],
  ['flat, app only', { 'ui/visibility': ['app'] }, false],
  ['flat beside a nested resource', { ui: { resourceUri: 'ui://x' }, 'ui/visibility': ['app'] }, false],
  ['the earliest key, private', { 'openai/visibility': 'private' }, false],
  ['the earliest key, public', { 'openai/visibility': 'public' }, true],
  ['a resource only', { ui: { resourceUri: 'not a ui address' } }, true],
])('MCP Apps: visibility %s: %j is offered to models: %s', (_, meta, isOffered) => {
  const view = createView(memoryContext({ servers: { debug: [tool('log', meta)] } }))
  expect(view.tools().map(({ ref }) => ref)).toEqual(isOffered ? ['debug/log'] : [])
})

test('MCP Apps: a tool without `model` is not listed, searched, called or named, and why() gives the reason', async () => {
  const servers = { debug: [tool('log', { ui: { visibility: ['app'] } }), tool('show')] }
  const context = memoryContext({ servers })
  const view = createView(context)
  expect(view.tools().map(({ name }) => name)).toEqual(['debug__show'])
  expect(view.search('writes the log').map(({ name }) => name)).toEqual(['debug__show'])
  for (const name of ['debug__log', 'debug/log'])
    expect(await view.call(name).catch(({ code }: HostError) => code)).toBe('tool.unknown')
  expect(await view.call('call_tool', { name: 'debug__log' }).catch(({ code }: HostError) => code)).toBe(
    'tool.unknown',
  )
  expect(context.asked).toEqual([])
  const visibility = {
    visible: false,
    reason: '"debug" keeps it for its own app: its visibility leaves out models.',
  }
  expect(view.why('debug__log')).toEqual({
    ref: 'debug/log',
    name: 'debug__log',
    visibility,
    decision: { effect: 'deny', by: 'default', reason: 'It is not offered.' },
  })
  expect(view.hiddenTools()).toEqual([{ ref: 'debug/log', name: 'debug__log', server: 'debug', visibility }])
})

test('hiddenTools(): tools that a list of the settings hides, with the reason', () => {
  const context = memoryContext({
    servers: { a: ['one', 'two'] },
    layers: [{ kind: 'user', tools: ['!*two', '*one'] }],
  })
  expect(createView(context).hiddenTools()).toEqual([
    {
      ref: 'a/two',
      name: 'a__two',
      server: 'a',
      visibility: {
        visible: false,
        layer: 'user',
        pattern: '!*two',
        reason: 'The pattern "!*two" of the options of the host denies it.',
      },
    },
  ])
})
