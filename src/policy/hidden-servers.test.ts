import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hidesServer } from './hidden-servers.ts'
import { compileLayers, isVisible } from './layers.ts'
import type { Layer } from './layers.ts'

const hides = (layer: Omit<Layer, 'kind'>, server = 'slow') =>
  compileLayers([{ kind: 'agent', ...layer }]).some((each) =>
    hidesServer(each, { server, prefix: `${server}__` }),
  )

describe('hidesServer', () => {
  test.each([
    [{ tools: ['good__*'] }, true],
    [{ tools: ['*'] }, false],
    [{ tools: ['*', '!slow__*'] }, true],
    [{ tools: ['!slow__*'] }, true],
    [{ tools: ['*', '!slow__*', 'slow__read'] }, false],
    [{ tools: ['*', '!slow__d*'] }, false],
    [{ tools: ['good/*'] }, true],
    [{ tools: ['slow/x'] }, false],
    [{ tools: ['*read*'] }, false],
    [{ tools: [] }, true],
    [{ servers: ['good'] }, true],
    [{ servers: ['s*'] }, false],
    [{ off: ['slow'] }, true],
    [{ tools: ['mcp__good__*'], dialect: 'claude-code' }, true],
    [{ tools: ['good__*'], dialect: 'claude-code' }, true],
    [{ tools: ['mcp__slow__find'], dialect: 'claude-code' }, false],
    [{ tools: ['slow__find'], dialect: 'claude-code' }, false],
    [{ tools: ['*', '!mcp__slow__*'], dialect: 'claude-code' }, true],
    [{ tools: ['good_*'], dialect: 'opencode' }, true],
    [{ tools: ['s?ow_*'], dialect: 'opencode' }, false],
    [{ tools: ['read', 'good/*'], dialect: 'copilot' }, true],
    [{ tools: ['read', 'slow/find'], dialect: 'copilot' }, false],
    [{ readOnly: 'require-declared' }, false],
  ] as const)('%j: %s', (layer, expected) => {
    expect(hides(layer as Omit<Layer, 'kind'>)).toBe(expected)
  })

  test('a server is never hidden while one of its tools is visible', () => {
    const word = fc.string({
      unit: fc.constantFrom('a', 'b', '_', '*', '/', '!', '?', 'mcp__'),
      maxLength: 8,
    })
    const dialect = fc.constantFrom(undefined, 'claude-code', 'opencode', 'copilot')
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '_'), minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), name, name, dialect, (tools, server, tool, system) => {
        const list = { tools, ...(system && { dialect: system }) }
        const layers = compileLayers([{ kind: 'agent', ...list }])
        const subject = { name: `${server}__${tool}`, server, tool, ref: `${server}/${tool}` }
        expect(isVisible(subject, layers) && hides(list, server)).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })
})
