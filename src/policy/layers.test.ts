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
  compileLayers,
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
  const ready = compileLayers(layers)
  return among.filter((tool) => isVisible(tool, ready)).map(({ name }) => name)
}
const why = (tool: Subject, ...layers: readonly Layer[]) => decideVisibility(tool, compileLayers(layers))

describe('isVisible', () => {
  test('without layers every tool is visible (D-7)', () => {
    expect(seen([])).toEqual(tools.map(({ name }) => name))
    expect(why(native)).toEqual({ visible: true, reason: 'Nothing hides it.' })
  })

  test('each layer hides more tools, and none restores one (D-7)', () => {
    const user: Layer = { kind: 'user', tools: ['*', '!git__push'] }
    const agent: Layer = { kind: 'agent', of: 'Reviewer', tools: ['git__*'] }
    const conversation: Layer = { kind: 'conversation', tools: ['*', 'git__push'] }
    expect(seen([user, agent, conversation])).toEqual(['git__log'])
  })

  test('an additional layer never shows more tools, in any order (D-7)', () => {
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

  test('native tools and tools that arrive later pass the same list (B16, B17)', () => {
    const late = served('late', 'one')
    expect(seen([{ kind: 'agent', tools: ['view_*'] }], [...tools, late])).toEqual(['view_file'])
    expect(seen([{ kind: 'agent' }], [...tools, late])).toEqual([...tools, late].map(({ name }) => name))
  })

  test('a list of servers hides the tools of others, and no native tool (D6)', () => {
    expect(seen([{ kind: 'conversation', servers: ['git'] }])).toEqual(['view_file', 'git__log', 'git__push'])
    expect(seen([{ kind: 'project', servers: ['*', '!w*'] }])).toEqual(['view_file', 'git__log', 'git__push'])
    expect(seen([{ kind: 'project', servers: ['a/b'] }], [served('a/b', 't')])).toEqual(['a/b__t'])
  })

  test('a conversation disables servers by their exact names (D6, D7)', () => {
    const switches = new Map([
      ['git', false],
      ['web', true],
      ['*', false],
    ])
    const layer = conversationLayer('c1', switches)
    expect(layer).toEqual({ kind: 'conversation', of: 'c1', off: ['git', '*'] })
    expect(seen([layer])).toEqual(['view_file', 'web__search'])
  })

  test('enabling a server in a conversation does not override another layer (P9, D7)', () => {
    const on = conversationLayer('c1', new Map([['git', true]]))
    expect(seen([{ kind: 'user', off: ['git'] }, on])).toEqual(['view_file', 'web__search'])
  })

  test('a layer can contain a read-only guard (B18)', () => {
    const writer = served('git', 'push', { annotations: { readOnlyHint: false } })
    const layer: Layer = { kind: 'user', readOnly: { policy: 'reject-declared' } }
    expect(seen([layer], [writer, native])).toEqual(['view_file'])
    expect(why(writer, layer)).toEqual({
      visible: false,
      layer: 'user',
      reason:
        'It declares that it writes (readOnlyHint is false). The read-only guard of the options of the host hides it.',
    })
  })
})

describe('decideVisibility', () => {
  const push = served('git', 'push')
  const origin = { file: '/AGENTS.md', line: 7 }
  const agent = (...patterns: readonly string[]): Layer => ({
    kind: 'agent',
    of: 'Reviewer',
    origin,
    tools: patterns,
  })

  test('names the pattern that denies a tool, and its owner', () => {
    expect(why(push, agent('*', '!git__p*'))).toEqual({
      visible: false,
      layer: 'agent',
      pattern: '!git__p*',
      reason: 'The pattern "!git__p*" of the agent "Reviewer" denies it.',
      origin,
    })
  })

  test('says that no pattern admits a tool', () => {
    expect(why(push, agent('view_file'))).toEqual({
      visible: false,
      layer: 'agent',
      reason: 'No pattern of the agent "Reviewer" admits it.',
      origin,
    })
  })

  test('names the server that is disabled or not listed', () => {
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

  test('names the pattern of the narrowest list that admits a tool', () => {
    expect(why(push, agent('git/*'), { kind: 'user', tools: ['*'] })).toEqual({
      visible: true,
      layer: 'agent',
      pattern: 'git/*',
      reason: 'The pattern "git/*" of the agent "Reviewer" admits it.',
      origin,
    })
  })

  test('names the widest layer that hides a tool, in any order', () => {
    expect(why(push, agent('x'), { kind: 'user', tools: ['y'] }).layer).toBe('user')
  })
})

describe('agentLayers', () => {
  const origin = { file: '/a.md', line: 1, authority: 'project' } as const
  const layersOf = (agent: Partial<Agent>) => agentLayers({ name: 'A', origin, ...agent })

  test('an agent without a list sees every tool, one with an empty list none (B14)', () => {
    expect(seen(layersOf({}))).toEqual(tools.map(({ name }) => name))
    expect(seen(layersOf({ tools: [] }))).toEqual([])
    expect(agentLayers({ name: 'A', origin, tools: [], servers: [] })).toEqual([
      { kind: 'agent', of: 'A', tools: [], servers: [], origin: { file: origin.file, line: origin.line } },
    ])
  })

  test('a project’s agent sees no more than the user’s agent of the same name', () => {
    const within: Agent = { name: 'A', origin: { ...origin, authority: 'user' }, tools: ['git__*'] }
    expect(seen(layersOf({ tools: ['*', '!git__push'], within }))).toEqual(['git__log'])
    expect(seen(layersOf({ within }))).toEqual(['git__log', 'git__push'])
  })

  test('a list of Claude Code may use its names of tools or ours', () => {
    const list = { dialect: 'claude-code', tools: ['mcp__git__log', 'web__search'] } as const
    expect(seen(layersOf(list))).toEqual(['git__log', 'web__search'])
    const denial = { dialect: 'claude-code', tools: ['*', '!mcp__my_git__*'] } as const
    expect(seen(layersOf(denial), [served('my git', 'log'), native])).toEqual(['view_file'])
  })

  test('a list of Claude Code admits tools only of the exact server, and denies tools of every server it may mean', () => {
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

  test('a list of opencode may use its names of tools and the question mark (C24)', () => {
    const list = { dialect: 'opencode', tools: ['*', '!git_push', '!view_fil?'] } as const
    expect(seen(layersOf(list))).toEqual(['git__log', 'web__search'])
  })

  test('a list of Copilot names the tools of servers server/tool', () => {
    expect(seen(layersOf({ dialect: 'copilot', tools: ['edit', 'git/*', 'web/none'] }))).toEqual([
      'git__log',
      'git__push',
    ])
  })
})

describe('checkLayer', () => {
  test('warns of patterns that match no tool or server; for the list of another system it is only information', () => {
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
