import * as fc from 'fast-check'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { home, memoryMachine, project } from '../../../test/support/memory-machine.ts'
import { createWorld } from '../../config/world.ts'
import type { Agent } from '../../model/agent.ts'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import type { Env } from '../../platform/platform.ts'
import { readAgents } from './read-agents.ts'

async function agentsOf(texts: Readonly<Record<string, unknown>>, env: Env = {}) {
  const { platform, files } = memoryMachine(texts, env)
  return readAgents(await createWorld(platform), files)
}
/** The tool list of each agent, by its name. */
const listsIn = (agents: readonly Agent[]) =>
  Object.fromEntries(agents.map(({ name, tools }) => [name, tools]))
const listsOf = async (texts: Readonly<Record<string, unknown>>) => listsIn((await agentsOf(texts)).agents)
const problems = async (texts: Readonly<Record<string, unknown>>) =>
  (await agentsOf(texts)).diagnostics.map(({ code, severity, origin }) => [
    code,
    severity,
    origin?.file,
    origin?.line,
  ])

const origin = (file: string, line: number) => ({
  file: `${project}/${file}`,
  line,
  authority: 'project' as const,
})

describe('readAgents: AGENTS.md', () => {
  test('B12, B14 a section with its own tools is an agent; any other is not', async () => {
    const text = `# Shop

Use pnpm. The tools: pnpm, git.

## Architect
tools: [*]

Plans.

## Prompt Builder
description: Builds prompts.
tools: [view_file]

## Style
Tools: prettier and eslint.

### Notes
- tools: none
`
    expect(await agentsOf({ 'AGENTS.md': text })).toEqual({
      agents: [
        { name: 'Architect', prompt: 'Plans.', tools: ['*'], origin: origin('AGENTS.md', 5) },
        {
          name: 'Prompt Builder',
          description: 'Builds prompts.',
          tools: ['view_file'],
          origin: origin('AGENTS.md', 10),
        },
      ],
      diagnostics: [],
    })
  })

  test('B17 a section with front matter is an agent too; without a list it sees everything', async () => {
    const text = `## Reviewer
---
name: reviewer
description: >
  Reads
  code.
---
## Coder

---
tools:
  - *
  # not the web
  - !web_*
---
Text.
---
More.
`
    expect(await agentsOf({ 'data/AGENTS.md': text })).toEqual({
      agents: [
        { name: 'reviewer', description: 'Reads code.', origin: origin('data/AGENTS.md', 1) },
        { name: 'Coder', tools: ['*', '!web_*'], origin: origin('data/AGENTS.md', 8) },
      ],
      diagnostics: [],
    })
  })

  test.each<[string, string, Record<string, readonly string[] | undefined>]>([
    ['underlined headings', 'Coder\n=====\ntools: [a]\n\nOther\n---\ntext', { Coder: ['a'] }],
    ['marks around a name', '## **`Coder`** ##\ntools: [a]', { Coder: ['a'] }],
    ['prose before the list', '## Coder\nWrites code.\n\ntools: [a]\nand text', { Coder: ['a'] }],
    [
      'a list of lines that ends at a blank line',
      '## Coder\ntools:\n- a\n- b\n\n- prose',
      { Coder: ['a', 'b'] },
    ],
    ['a list on several lines', '## Coder\ntools: [a,\n b]\nText', { Coder: ['a', 'b'] }],
    ['text directly below the list', '## Coder\ntools: a, b\n- prose', { Coder: ['a', 'b'] }],
    ['a list of a subsection', '## Coder\n### Inner\ntools: [a]', { Inner: ['a'] }],
    ['a horizontal rule below a heading', '## Coder\n---\nprose\n---\n', {}],
    ['a code block', '## Coder\n```yaml\ntools: [a]\n# Not a heading\n```\n', {}],
    [
      'a code block with longer fences',
      '## A\n~~~~\n~~~\n## B\ntools: [a]\n~~~~\n## C\ntools: [c]',
      { C: ['c'] },
    ],
    ['a comment', '## Coder\n<!--\ntools: [a]\n-->\n', {}],
    ['an indented list', '## Coder\n    tools: [a]\n', {}],
    ['CRLF and a byte order mark', '\ufeff## Coder\r\ntools: [a]\r\n', { Coder: ['a'] }],
    ['front matter of the whole file', '---\nname: all\ntools: [a]\n---\n# Title\n', { all: ['a'] }],
    ['front matter without a name', '---\ntools: [a]\n---\n# Title\n', { Title: ['a'] }],
    ['front matter about something else', '---\nalwaysApply: true\n---\n# Title\n', {}],
  ])('agents of a file with %s', async (_what, text, lists) => {
    expect(await listsOf({ 'AGENTS.md': text })).toEqual(lists)
  })

  test('B15 a list that cannot be read allows no tools and is reported with file and line', async () => {
    expect(await agentsOf({ 'AGENTS.md': '# A\n\ntools: [*, ! web_*]\n' })).toEqual({
      agents: [{ name: 'A', tools: [], servers: [], origin: origin('AGENTS.md', 1) }],
      diagnostics: [
        {
          code: 'unreadable-tools',
          severity: 'error',
          message:
            'The tools of the agent "A" cannot be read: "! web_*" is not a list item. It sees none until this is fixed.',
          hint: 'Write them as [a, b_*, !b_c], as "- item" lines, or as a, b.',
          origin: { file: `${project}/AGENTS.md`, line: 3 },
        },
      ],
    })
  })

  test.each<[string, string, string, number]>([
    ['two lists', '# A\ntools: [*]\n\ntools: [a]', 'unreadable-tools', 4],
    [
      'a list beside the one in the front matter',
      '# A\n---\ntools: [*]\n---\ntools: [a]',
      'unreadable-tools',
      5,
    ],
    ['a list without an end', '# A\ntools: [a,\n\nb]', 'unreadable-tools', 2],
    ['an empty list', '# A\ntools: []', 'no-tools', 1],
  ])('with %s an agent sees nothing', async (_what, text, code, line) => {
    expect(await listsOf({ 'AGENTS.md': text })).toEqual({ A: [] })
    expect((await problems({ 'AGENTS.md': text })).map(([code, , , at]) => [code, at])).toEqual([
      [code, line],
    ])
  })

  test('a list above every heading belongs to no agent and is reported', async () => {
    expect(await problems({ 'AGENTS.md': 'tools: [*]\n\n# A\n' })).toEqual([
      ['missing-key', 'warn', `${project}/AGENTS.md`, 1],
    ])
  })

  test('T08 no input makes it throw, and each agent has a name and a line of the file', async () => {
    const line = fc.constantFrom(
      '# A',
      '## B',
      'tools: [a]',
      'tools:',
      '- x',
      '---',
      '===',
      '```',
      '<!--',
      '-->',
      'text',
      '',
    )
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 20 }), async (lines) => {
        const { agents, diagnostics } = await agentsOf({ 'AGENTS.md': lines.join('\n') })
        const places = [
          ...agents.map((agent) => agent.origin.line),
          ...diagnostics.map((each) => each.origin?.line ?? 0),
        ]
        expect(places.every((at) => at >= 1 && at <= Math.max(lines.length, 1))).toBe(true)
        expect(agents.every(({ name }) => name !== '')).toBe(true)
      }),
      { numRuns: 300 },
    )
    const bombs = ['# A\n---\n', '# A\ntools: [\n', '```\n', 'a\n---\n', '# A\n\n', `# ${'*'.repeat(50)}`]
    for (const bomb of bombs) await agentsOf({ 'AGENTS.md': bomb.repeat(20_000) })
  })
})

describe('readAgents: agent files of Claude Code', () => {
  const agent = (...lines: readonly string[]) => ['---', ...lines, '---', '', 'You review.'].join('\n')

  test('a name, a description that is not valid YAML, and a comma-separated list are read', async () => {
    const text = agent(
      'name: reviewer',
      'description: Use this agent when: "x". <example>Context: a # b</example>',
      'tools: Read, Grep, mcp__github__search_issues',
      'model: opus',
    )
    expect((await agentsOf({ '.claude/agents/review.md': text })).agents).toEqual([
      {
        name: 'reviewer',
        description: 'Use this agent when: "x". <example>Context: a # b</example>',
        prompt: 'You review.',
        model: 'opus',
        tools: ['Read', 'Grep', 'mcp__github__search_issues'],
        dialect: 'claude-code',
        origin: origin('.claude/agents/review.md', 1),
      },
    ])
  })

  test('an agent without a list sees every tool; denials alone are subtracted from all', async () => {
    const texts = {
      '.claude/agents/a.md': agent('description: x'),
      '.claude/agents/b.md': agent('disallowedTools: Write, Bash(rm *), mcp__web'),
      '.claude/agents/deep/c.md': agent('name: c', 'tools: ["mcp__github", Read]', 'disallowedTools: [Read]'),
    }
    expect(await listsOf(texts)).toEqual({
      a: undefined,
      b: ['*', '!Write', '!Bash', '!mcp__web', '!mcp__web__*'],
      c: ['mcp__github', 'mcp__github__*', 'Read', '!Read'],
    })
  })

  test('an agent whose front matter cannot be read sees nothing', async () => {
    const texts = {
      '.claude/agents/a.md': agent('name: a', '<<: *base'),
      '.claude/agents/b.md': '---\nname: b\ntools: Read\n',
      '.claude/agents/c.md': agent('name: c', 'disallowedTools: a b'),
      '.claude/agents/d.md': 'Just text.',
    }
    expect(await listsOf(texts)).toEqual({ a: [], b: [], c: [] })
    expect((await problems(texts)).map(([code]) => code)).toEqual([
      'unreadable-tools',
      'unreadable-tools',
      'unreadable-tools',
      'missing-key',
    ])
  })
})

describe('readAgents: agents of opencode', () => {
  test('tools are switched on or off, in agent files and in opencode.json', async () => {
    const file = [
      '---',
      'description: Reads',
      'tools:',
      '  write: false',
      '  "git_*": false',
      '  git_log: true',
      '---',
    ].join('\n')
    const { agents } = await agentsOf({
      '.opencode/agent/reader.md': file,
      '.opencode/agents/team/flow.md': '---\ntools: { write: true, "*": false, git_?: true }\n---\n',
      '.opencode/agent/plain.md': 'No front matter.',
      'opencode.json': {
        agent: {
          planner: { description: 'Plans', tools: { bash: false, write: true } },
          gone: { disable: true },
        },
      },
    })
    expect(agents).toEqual([
      {
        name: 'plain',
        prompt: 'No front matter.',
        dialect: 'opencode',
        origin: origin('.opencode/agent/plain.md', 1),
      },
      {
        name: 'reader',
        description: 'Reads',
        tools: ['*', '!write', '!git_*', 'git_log'],
        dialect: 'opencode',
        origin: origin('.opencode/agent/reader.md', 1),
      },
      {
        name: 'team/flow',
        tools: ['*', '!*', 'git_?'],
        dialect: 'opencode',
        origin: origin('.opencode/agents/team/flow.md', 1),
      },
      {
        name: 'planner',
        description: 'Plans',
        tools: ['*', '!bash', 'write'],
        dialect: 'opencode',
        origin: origin('opencode.json', 1),
      },
    ])
  })

  test('permissions become denials and asks', async () => {
    const file = [
      '---',
      'permission:',
      '  "*": ask',
      '  edit: deny',
      '  read: allow',
      '  bash:',
      '    "*": deny',
      '    git *: allow',
      '---',
    ].join('\n')
    const { agents } = await agentsOf({
      '.opencode/agent/a.md': file,
      '.opencode/agent/b.md': '---\npermission: deny\n---\n',
      'opencode.jsonc': '{ "agent": { "c": { "permission": { "web_*": "ask", "x": { "*": "deny" } } } } }',
    })
    expect(agents.map(({ name, tools, asks }) => [name, tools, asks])).toEqual([
      ['a', ['*', '!edit', 'read', 'bash'], ['*', '!edit', '!read', 'bash']],
      ['b', ['*', '!*'], undefined],
      ['c', ['*', '!x'], ['web_*', '!x']],
    ])
  })

  test('tools may be a list, as in other dialects', async () => {
    expect(
      await listsOf({
        '.opencode/agent/a.md': '---\ntools: [read, git_*]\npermission:\n  git_push: deny\n---\n',
      }),
    ).toEqual({
      a: ['read', 'git_*', '!git_push'],
    })
  })

  test.each<[string, string]>([
    ['a word that is neither true nor false', 'tools:\n  a: maybe'],
    ['no map', 'tools:\n  a'],
    ['no value', 'tools:'],
    ['a denial as a pattern', 'tools:\n  "!a": true'],
    ['an unknown permission', 'permission:\n  a: never'],
    ['an unclosed map', 'tools: { a: true'],
    ['a map in two places', 'permission: { a: deny }\n  b: deny'],
    ['less indentation than above', 'tools:\n    a: true\n  b: false'],
  ])('an agent with %s sees nothing', async (_what, lines) => {
    const texts = { '.opencode/agent/a.md': `---\n${lines}\n---\n` }
    expect(await listsOf(texts)).toEqual({ a: [] })
    expect((await problems(texts)).map(([code]) => code)).toEqual(['unreadable-tools'])
  })

  test.each([[{ tools: ['read'] }], [{ tools: { a: 'x' } }], [{ permission: { a: 1 } }], ['text']])(
    'an agent that is %j in opencode.json sees nothing',
    async (agent) => {
      expect(await listsOf({ 'opencode.json': { agent: { a: agent } } })).toEqual({ a: [] })
    },
  )

  test('a file that does not parse gives no agents', async () => {
    expect(await agentsOf({ 'opencode.json': '{ "agent": ' })).toEqual({ agents: [], diagnostics: [] })
  })
})

describe('readAgents: folders at every depth', () => {
  const one = (tools: string) => `---\ntools: ${tools}\n---\n`

  test('opencode names an agent by its path, Claude Code by its file', async () => {
    const texts = {
      '.opencode/agent/team/web/flow.md': one('[a]'),
      '~/.config/opencode/agents/x/y/z/deep.md': one('[b]'),
      '.claude/agents/review/security/auth.md': one('c'),
      '~/.claude/agents/a/b/c/d.md': `---\nname: named\ntools: d\n---\n`,
    }
    expect(await listsOf(texts)).toEqual({
      'team/web/flow': ['a'],
      'x/y/z/deep': ['b'],
      auth: ['c'],
      named: ['d'],
    })
  })

  test('a folder deeper than the limit is reported and not read', async () => {
    const deep = `.claude/agents/${'d/'.repeat(20)}x.md`
    expect(await listsOf({ [deep]: one('a'), '.claude/agents/near.md': one('b') })).toEqual({ near: ['b'] })
    expect(await problems({ [deep]: one('a') })).toEqual([
      ['unreadable-file', 'warn', `${project}/.claude/agents/${'d/'.repeat(17).slice(0, -1)}`, undefined],
    ])
  })

  test('a link to a folder above ends', async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-agents-')))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    mkdirSync(join(root, '.claude/agents/in'), { recursive: true })
    mkdirSync(join(root, '.git'))
    writeFileSync(join(root, '.claude/agents/in/a.md'), one('x'))
    symlinkSync(join(root, '.claude'), join(root, '.claude/agents/in/again'))
    const platform = nodePlatform({
      os: 'linux',
      home: join(root, 'h'),
      cwd: root,
      env: {},
      systemRoot: root,
    })
    const { agents, diagnostics } = await readAgents(await createWorld(platform), platform.files)
    expect([listsIn(agents), diagnostics]).toEqual([{ a: ['x'] }, []])
  })

  test('T58 a project’s links out of the project are reported and not followed; a person’s own are', async () => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'plugboard-agents-')))
    onTestFinished(() => rmSync(base, { recursive: true, force: true }))
    const root = join(base, 'p')
    for (const folder of [
      'p/.git',
      'p/.opencode/agent',
      'p/shared',
      'p/.claude',
      'out/in',
      'h/.claude/agents',
    ])
      mkdirSync(join(base, folder), { recursive: true })
    writeFileSync(join(base, 'out/in/stolen.md'), one('x'))
    writeFileSync(join(root, 'shared/mine.md'), one('y'))
    symlinkSync(join(base, 'out'), join(root, '.opencode/agent/folder'))
    symlinkSync(join(base, 'out/in/stolen.md'), join(root, '.opencode/agent/file.md'))
    symlinkSync(join(root, 'shared'), join(root, '.opencode/agent/inside'))
    symlinkSync(join(base, 'out/in'), join(root, '.claude/agents'))
    symlinkSync(join(base, 'out/in'), join(base, 'h/.claude/agents/dotfiles'))
    const platform = nodePlatform({
      os: 'linux',
      home: join(base, 'h'),
      cwd: root,
      env: {},
      systemRoot: base,
    })
    const { agents, diagnostics } = await readAgents(await createWorld(platform), platform.files)
    expect(agents.map(({ name, origin: { authority } }) => [name, authority])).toEqual([
      ['inside/mine', 'project'],
      ['stolen', 'user'],
    ])
    const message = 'It is a link out of the project; agents behind it are not read.'
    expect(diagnostics).toEqual(
      ['.claude/agents', '.opencode/agent/file.md', '.opencode/agent/folder'].map((path) => ({
        code: 'unreadable-file',
        severity: 'warn',
        message,
        origin: { file: join(root, path) },
      })),
    )
  })
})

describe('readAgents: agent files of GitHub Copilot', () => {
  test('tools of servers are server/tool; without a list the agent sees every tool', async () => {
    const { agents, diagnostics } = await agentsOf({
      '.github/agents/triage.agent.md':
        '---\ndescription: Sorts issues\ntools: ["read", "github/*", "docs/search"]\n---\nSort.',
      '.github/agents/writer.md': '---\nname: Doc Writer\ndescription: Writes\n---\n',
      '.github/agents/quiet.md': '---\ndescription: x\ntools: []\n---\n',
      '~/.copilot/agents/mine.md': '---\ndescription: x\ntools: edit, github/get_issue\n---\n',
    })
    expect(agents.map(({ name, tools, dialect }) => [name, tools, dialect])).toEqual([
      ['quiet', [], 'copilot'],
      ['triage', ['read', 'github/*', 'docs/search'], 'copilot'],
      ['Doc Writer', undefined, 'copilot'],
      ['mine', ['edit', 'github/get_issue'], 'copilot'],
    ])
    expect(diagnostics.map(({ code }) => code)).toEqual(['no-tools'])
  })

  test('the servers of an agent file are reported as not read, and the agent stays', async () => {
    const text =
      '---\ndescription: x\ntools: ["own/*"]\nmcp-servers:\n  own:\n    type: local\n    command: npx\n    tools: ["*"]\n---\n'
    const { agents, diagnostics } = await agentsOf({ '.github/agents/a.md': text })
    expect(listsIn(agents)).toEqual({ a: ['own/*'] })
    expect(diagnostics).toEqual([
      {
        code: 'not-launchable',
        severity: 'warn',
        message: 'The servers under "mcp-servers" run only inside GitHub Copilot; they are not read.',
        hint: 'To use them here, declare them in a file of servers.',
        origin: { file: `${project}/.github/agents/a.md`, line: 4 },
      },
    ])
  })

  test('what Copilot does not read is reported', async () => {
    const texts = {
      '.github/agents/sub/x.md': '---\ntools: [a]\n---\n',
      '.github/agents/README.md': '# About these agents',
    }
    expect(await listsOf(texts)).toEqual({})
    expect(await problems(texts)).toEqual([
      ['missing-key', 'warn', `${project}/.github/agents/README.md`, 1],
      ['unsupported-in-client', 'warn', `${project}/.github/agents/sub/x.md`, 1],
    ])
  })
})

describe('readAgents: several front matters in one AGENTS.md', () => {
  test('T58 at most 200 agents of a file are read, and the first that is not is reported', async () => {
    const text = Array.from({ length: 20_000 }, (_, at) => `---\nname: n${at}\ntools: read\n---\n`).join('')
    const { agents, diagnostics } = await agentsOf({ 'AGENTS.md': text })
    expect([agents.length, agents.at(-1)?.name]).toEqual([200, 'n199'])
    expect(diagnostics).toEqual([
      {
        code: 'unreadable-file',
        severity: 'warn',
        message: 'It describes more than 200 agents; agents from here on are not read.',
        origin: { file: `${project}/AGENTS.md`, line: 801 },
      },
    ])
  })

  test('each block with a name is an agent', async () => {
    const text = `---
name: planner
description: Plans.
tools: [search_*]
---
You plan.

---
name: coder
tools:
  - *
  - !web_*
---
You write code.
---
name: reviewer
---
# Notes
Text.

---

More text.
`
    expect(await agentsOf({ 'AGENTS.md': text })).toEqual({
      agents: [
        {
          name: 'planner',
          description: 'Plans.',
          prompt: 'You plan.',
          tools: ['search_*'],
          origin: origin('AGENTS.md', 1),
        },
        {
          name: 'coder',
          prompt: 'You write code.',
          tools: ['*', '!web_*'],
          origin: origin('AGENTS.md', 8),
        },
        { name: 'reviewer', prompt: '# Notes\nText.\n\n---\n\nMore text.', origin: origin('AGENTS.md', 15) },
      ],
      diagnostics: [],
    })
  })

  test('a block without a name leaves no agent with more tools than its own list', async () => {
    const text = '---\nname: a\ntools: [x]\n---\nText.\n\n---\ntools: [*]\n---\n'
    expect(await listsOf({ 'AGENTS.md': text })).toEqual({ a: [] })
    expect((await problems({ 'AGENTS.md': text })).map(([code, , , line]) => [code, line])).toEqual([
      ['unreadable-tools', 8],
    ])
  })

  test('a block with a description and no name is reported', async () => {
    const text = '---\nname: a\n---\nText.\n\n---\ndescription: lost\n---\nText.\n'
    expect(await listsOf({ 'AGENTS.md': text })).toEqual({ a: undefined })
    expect(await problems({ 'AGENTS.md': text })).toEqual([
      ['missing-key', 'warn', `${project}/AGENTS.md`, 6],
    ])
  })

  test('a block in a code block is not read', async () => {
    const text = '# Title\n```yaml\n---\nname: sample\n---\n```\n'
    expect(await listsOf({ 'AGENTS.md': text })).toEqual({})
  })
})

describe('readAgents: places', () => {
  const one = (name: string, tools: string) => `---\nname: ${name}\ntools: ${tools}\n---\n`

  test('the project’s directories and the user’s folders are read', async () => {
    const texts = {
      'AGENTS.md': '# a\ntools: [1]',
      '/data/AGENTS.md': '# b\ntools: [2]',
      '~/.config/plugboard/AGENTS.md': '# c\ntools: [3]',
      '~/.claude/agents/d.md': one('d', '4'),
      '~/.config/opencode/agent/e.md': one('e', '[5]'),
      '~/.config/opencode/opencode.json': { agent: { f: { tools: { '*': false } } } },
    }
    const { agents } = await agentsOf(texts)
    expect(agents.map(({ name, tools, origin: { authority } }) => [name, tools, authority])).toEqual([
      ['a', ['1'], 'project'],
      ['b', ['2'], 'explicit'],
      ['c', ['3'], 'user'],
      ['d', ['4'], 'user'],
      ['e', ['5'], 'user'],
      ['f', ['*', '!*'], 'user'],
    ])
  })

  test('T01 a folder that a variable moves into the project has project authority', async () => {
    const texts = { 'own/agents/x.md': one('x', 'a'), '/else/agents/x.md': one('x', 'b') }
    const authorityOf = async (folder: string) =>
      (await agentsOf(texts, { CLAUDE_CONFIG_DIR: folder })).agents.map(
        ({ tools, origin: { authority } }) => [tools, authority],
      )
    expect(await authorityOf(`${project}/own`)).toEqual([[['a'], 'project']])
    expect(await authorityOf('/else')).toEqual([[['b'], 'user']])
  })

  test('of agents with one name the first is used; the others are hidden and reported', async () => {
    const { agents, diagnostics } = await agentsOf({
      'AGENTS.md': '# x\ntools: [a]\n# x\ntools: [b]',
      '.claude/agents/x.md': one('x', 'c'),
    })
    expect(listsIn(agents)).toEqual({ x: ['a'] })
    expect(
      diagnostics.map(({ code, severity, message, origin: at }) => [code, severity, message, at]),
    ).toEqual(
      [
        [`${project}/AGENTS.md`, 3],
        [`${project}/.claude/agents/x.md`, 1],
      ].map(([file, line]) => [
        'shadowed',
        'info',
        `The agent "x" is taken from ${project}/AGENTS.md:1.`,
        { file, line },
      ]),
    )
  })

  test('D-7 a project’s agent replaces the user’s agent of the same name but sees no more tools', async () => {
    const { agents, diagnostics } = await agentsOf({
      'AGENTS.md': '# x\ntools: [*]',
      '~/.claude/agents/x.md': one('x', 'Read'),
    })
    const file = `${home}/.claude/agents/x.md`
    expect(agents).toEqual([
      {
        name: 'x',
        tools: ['*'],
        origin: origin('AGENTS.md', 1),
        within: {
          name: 'x',
          tools: ['Read'],
          dialect: 'claude-code',
          origin: { file, line: 1, authority: 'user' },
        },
      },
    ])
    expect(diagnostics.map(({ message }) => message)).toEqual([
      `The agent "x" is taken from ${project}/AGENTS.md:1, limited to the tools that this one allows.`,
    ])
  })
})
