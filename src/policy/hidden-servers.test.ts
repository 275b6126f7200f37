import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { candidateName, createClaims, isHashName, nameStartsOf, needsMark } from '../catalog/tool-names.ts'
import { namingSchemes } from '../model/preset.ts'
import { hidesServer } from './hidden-servers.ts'
import { compileLayers, isVisible } from './layers.ts'
import type { Layer } from './layers.ts'

const naming = namingSchemes.double

const hides = (layer: Omit<Layer, 'kind'>, server = 'slow') =>
  compileLayers([{ kind: 'agent', ...layer }]).some((each) =>
    hidesServer(each, { server, starts: nameStartsOf(naming, server), isAnyServers: isHashName }),
  )

/** The name that a tool has by itself. */
function nameOf(server: string, tool: string): string {
  const claim = createClaims(naming, server)(tool)
  return candidateName(claim, needsMark(claim) ? 1 : 0)
}

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

  test.each([
    [[nameOf('a'.repeat(60), 'do_something_useful')], false],
    [['*', `!${'a'.repeat(60)}__*`], false],
    [['*', `!${'a'.repeat(54)}*`], true],
    [[`t_${'0'.repeat(62)}`], false],
    [['b__*'], true],
  ])('a server with a long name, whose tools have cut names, %j: %s', (tools, expected) => {
    expect(hides({ tools }, 'a'.repeat(60))).toBe(expected)
  })

  test('a server is never hidden while one of its tools is visible', () => {
    const word = fc.string({
      unit: fc.constantFrom('a', 'b', '_', '*', '/', '!', '?', 'mcp__'),
      maxLength: 8,
    })
    const dialect = fc.constantFrom(undefined, 'claude-code', 'opencode', 'copilot')
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '_'), minLength: 1, maxLength: 4 })
    // Names of 50 characters and more are cut.
    const serverName = fc
      .tuple(fc.constantFrom('', 'a'.repeat(48), 'a'.repeat(58)), name)
      .map((parts) => parts.join(''))
    const own = fc.constantFrom('none', 'exact', 'begin')
    const lists = fc.array(word, { maxLength: 4 })
    fc.assert(
      fc.property(lists, serverName, name, dialect, own, (words, server, tool, system, how) => {
        const full = nameOf(server, tool)
        const extra = { none: [], exact: [full], begin: [`${full.slice(0, -4)}*`] }[how]
        const tools = [...words, ...extra]
        const list = { tools, ...(system && { dialect: system }) }
        const layers = compileLayers([{ kind: 'agent', ...list }])
        const subject = { name: full, server, tool, ref: `${server}/${tool}` }
        expect(isVisible(subject, layers) && hides(list, server)).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })
})
