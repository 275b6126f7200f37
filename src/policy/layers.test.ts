import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { prefixOf } from '../catalog/tool-names.ts'
import { namingSchemes } from '../model/preset.ts'
import type { Agent } from '../model/agent.ts'
import {
  agentLayers,
  checkLayer,
  conversationLayer,
  decideVisibility,
  isVisible,
  layerKinds,
  toLayers,
} from './layers.ts'
import type { Layer } from './layers.ts'
import type { Subject } from './read-only.ts'

const served = (server: string, tool: string, more: Partial<Subject> = {}): Subject => ({
  name: `${server}__${tool}`,
  ref: `${server}/${tool}`,
  server,
  tool,
  ...more,
})
const native: Subject = { name: 'view_file' }
const tools = [native, served('git', 'log'), served('git', 'push'), served('web', 'search')]

const seen = (layers: readonly Layer[], among: readonly Subject[] = tools) => {
  const ready = toLayers(layers)
  return among.filter((tool) => isVisible(tool, ready)).map(({ name }) => name)
}
const why = (tool: Subject, ...layers: readonly Layer[]) => decideVisibility(tool, toLayers(layers))

describe('layers', () => {
  test('D-7 without any, everything is seen', () => {
    expect(seen([])).toEqual(tools.map(({ name }) => name))
    expect(why(native)).toEqual({ visible: true, reason: 'Nothing hides it.' })
  })

  test('D-7 each takes away from what the others leave, and none brings anything back', () => {
    const user: Layer = { kind: 'user', tools: ['*', '!git__push'] }
    const agent: Layer = { kind: 'agent', of: 'Reviewer', tools: ['git__*'] }
    const conversation: Layer = { kind: 'conversation', tools: ['*', 'git__push'] }
    expect(seen([user, agent, conversation])).toEqual(['git__log'])
  })

  test('D-7 a layer more never shows more, in whatever order they are given', () => {
    const pattern = fc.constantFrom(
      '*',
      'git__*',
      '!git__*',
      'view_file',
      '!view_file',
      'git/log',
      '!web/*',
      'web__*',
    )
    const layer = fc.record(
      {
        kind: fc.constantFrom(...layerKinds),
        tools: fc.array(pattern, { maxLength: 4 }),
        servers: fc.array(fc.constantFrom('*', 'git', '!git', 'web'), { maxLength: 3 }),
        off: fc.subarray(['git', 'web']),
      },
      { requiredKeys: ['kind'] },
    )
    fc.assert(
      fc.property(fc.array(layer, { maxLength: 4 }), layer, (layers, another) => {
        const before = seen(layers)
        const after = seen([...layers, another])
        expect(before).toEqual(expect.arrayContaining([...after]))
        expect(seen([another, ...layers.toReversed()])).toEqual(after)
        expect(tools.filter((tool) => why(tool, ...layers).visible).map(({ name }) => name)).toEqual(before)
      }),
    )
  })

  test('B16, B17 native tools and late ones go through the same list', () => {
    const late = served('late', 'one')
    expect(seen([{ kind: 'agent', tools: ['view_*'] }], [...tools, late])).toEqual(['view_file'])
    expect(seen([{ kind: 'agent' }], [...tools, late])).toEqual([...tools, late].map(({ name }) => name))
  })

  test('D6 servers can be listed; native tools have none and stay', () => {
    expect(seen([{ kind: 'conversation', servers: ['git'] }])).toEqual(['view_file', 'git__log', 'git__push'])
    expect(seen([{ kind: 'project', servers: ['*', '!w*'] }])).toEqual(['view_file', 'git__log', 'git__push'])
    expect(seen([{ kind: 'project', servers: ['a/b'] }], [served('a/b', 't')])).toEqual(['a/b__t'])
  })

  test('D6, D7 what is switched off in a conversation is off by its exact name', () => {
    const switches = new Map([
      ['git', false],
      ['web', true],
      ['*', false],
    ])
    const layer = conversationLayer('c1', switches)
    expect(layer).toEqual({ kind: 'conversation', of: 'c1', off: ['git', '*'] })
    expect(seen([layer])).toEqual(['view_file', 'web__search'])
  })

  test('P9, D7 switching a server on lifts nothing that another layer says', () => {
    const on = conversationLayer('c1', new Map([['git', true]]))
    expect(seen([{ kind: 'user', off: ['git'] }, on])).toEqual(['view_file', 'web__search'])
  })

  test('B18 a layer may guard against tools that write', () => {
    const writer = served('git', 'push', { annotations: { readOnlyHint: false } })
    const layer: Layer = { kind: 'user', readOnly: { policy: 'reject-declared' } }
    expect(seen([layer], [writer, native])).toEqual(['view_file'])
    expect(why(writer, layer)).toEqual({
      visible: false,
      layer: 'user',
      reason:
        'It is declared to write (readOnlyHint is false). The read-only guard of the options of the host hides it.',
    })
  })
})

describe('why a tool is seen or not', () => {
  const push = served('git', 'push')
  const origin = { file: '/AGENTS.md', line: 7 }
  const agent = (...patterns: readonly string[]): Layer => ({
    kind: 'agent',
    of: 'Reviewer',
    origin,
    tools: patterns,
  })

  test('the pattern that denies, and whose it is', () => {
    expect(why(push, agent('*', '!git__p*'))).toEqual({
      visible: false,
      layer: 'agent',
      pattern: '!git__p*',
      reason: 'The pattern "!git__p*" of the agent "Reviewer" denies it.',
      origin,
    })
  })

  test('that no pattern admits it', () => {
    expect(why(push, agent('view_file'))).toEqual({
      visible: false,
      layer: 'agent',
      reason: 'No pattern of the agent "Reviewer" admits it.',
      origin,
    })
  })

  test('the server that is off or not listed', () => {
    expect(why(push, conversationLayer('c1', new Map([['git', false]])))).toEqual({
      visible: false,
      layer: 'conversation',
      reason: 'The server "git" is switched off in this conversation.',
    })
    expect(why(push, { kind: 'project', servers: ['*', '!git'] })).toEqual({
      visible: false,
      layer: 'project',
      pattern: '!git',
      reason: 'The pattern "!git" of the project denies its server "git".',
    })
    expect(why(push, { kind: 'user', servers: ['web'] }).reason).toBe(
      'No pattern of the options of the host admits its server "git".',
    )
  })

  test('the pattern of the narrowest list that admits it', () => {
    expect(why(push, agent('git/*'), { kind: 'user', tools: ['*'] })).toEqual({
      visible: true,
      layer: 'agent',
      pattern: 'git/*',
      reason: 'The pattern "git/*" of the agent "Reviewer" admits it.',
      origin,
    })
  })

  test('the widest layer that hides it is named, whatever the order', () => {
    expect(why(push, agent('x'), { kind: 'user', tools: ['y'] }).layer).toBe('user')
  })
})

describe('the layers of an agent', () => {
  const origin = { file: '/a.md', line: 1, authority: 'project' } as const
  const layersOf = (agent: Partial<Agent>) => agentLayers({ name: 'A', origin, ...agent })

  test('B14 no list sees everything, an empty one nothing', () => {
    expect(seen(layersOf({}))).toEqual(tools.map(({ name }) => name))
    expect(seen(layersOf({ tools: [] }))).toEqual([])
    expect(agentLayers({ name: 'A', origin, tools: [], servers: [] })).toEqual([
      { kind: 'agent', of: 'A', tools: [], servers: [], origin: { file: origin.file, line: origin.line } },
    ])
  })

  test('a project’s agent sees no more than the person’s of the same name', () => {
    const within: Agent = { name: 'A', origin: { ...origin, authority: 'user' }, tools: ['git__*'] }
    expect(seen(layersOf({ tools: ['*', '!git__push'], within }))).toEqual(['git__log'])
    expect(seen(layersOf({ within }))).toEqual(['git__log', 'git__push'])
  })

  test('lists of Claude Code name servers’ tools its way, and ours count too', () => {
    const list = { dialect: 'claude-code', tools: ['mcp__git__log', 'web__search'] } as const
    expect(seen(layersOf(list))).toEqual(['git__log', 'web__search'])
    const denial = { dialect: 'claude-code', tools: ['*', '!mcp__my_git__*'] } as const
    expect(seen(layersOf(denial), [served('my git', 'log'), native])).toEqual(['view_file'])
  })

  test('a list of Claude Code admits tools of the very server it names, and denies all that it may mean', () => {
    const [mcp, marked] = [served('mcp', 'github__wipe'), prefixOf(namingSchemes.claude, 'git.hub')]
    const among = [
      served('github', 'read'),
      served('github__evil', 'wipe'),
      served('git.hub', 'q'),
      served('git_hub', 'q'),
      served('git', 'hub__q'),
      mcp,
    ]
    const admitted = (...list: readonly string[]) =>
      seen(layersOf({ dialect: 'claude-code', tools: list }), among)
    const names = among.map(({ name }) => name)
    expect(admitted('mcp__github', 'mcp__github__*')).toEqual(['github__read'])
    expect(admitted('mcp__git_hub__*')).toEqual(['git_hub__q'])
    expect(admitted('mcp__git_hub__q')).toEqual(['git_hub__q'])
    expect(admitted(`${marked}*`)).toEqual(['git.hub__q'])
    expect(admitted('mcp__mcp__*')).toEqual([mcp.name])
    expect([admitted('*'), admitted('mcp__*')]).toEqual([names, names])
    expect(admitted('*', '!mcp__git_hub__q')).toEqual(names.filter((name) => !/^git.hub__q$/.test(name)))
    expect(admitted('*', '!mcp__github__*')).toEqual(['git.hub__q', 'git_hub__q', 'git__hub__q'])
    expect(admitted('*', '!*__github__*')).toEqual(['git.hub__q', 'git_hub__q', 'git__hub__q'])
  })

  test('C24 lists of opencode name them its way, and know the question mark', () => {
    const list = { dialect: 'opencode', tools: ['*', '!git_push', '!view_fil?'] } as const
    expect(seen(layersOf(list))).toEqual(['git__log', 'web__search'])
  })
})

describe('mistakes in a layer', () => {
  test('tools and servers that do not exist are said; a foreign list may name tools we do not have', () => {
    const layer: Layer = { kind: 'agent', of: 'A', tools: ['git__lgo'], servers: ['gti'] }
    expect(checkLayer(layer, tools).map(({ severity, message, hint }) => [severity, message, hint])).toEqual([
      ['warn', 'The pattern "gti" of the agent "A" matches no server.', undefined],
      ['warn', 'The pattern "git__lgo" of the agent "A" matches no tool.', 'Did you mean git__log?'],
    ])
    const foreign: Layer = {
      kind: 'agent',
      of: 'A',
      dialect: 'claude-code',
      tools: ['Read', 'mcp__git__log'],
    }
    expect(checkLayer(foreign, tools).map(({ severity, message }) => [severity, message])).toEqual([
      ['info', 'The pattern "Read" of the agent "A" matches no tool.'],
    ])
  })
})
