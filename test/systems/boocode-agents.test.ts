import { describe, expect, test } from 'vitest'
import { matchToolGlob } from '../../src/adapters/boocode.ts'
import { listAgents } from '../../src/index.ts'
import { nativeTool, startBoocode } from '../support/boocode.ts'
import type { Boocode } from '../support/boocode.ts'
import { createPerson, pathOf } from '../support/person.ts'
import { serverWithTools } from '../support/tool-host.ts'

const native = ['view_file', 'grep', 'web_search', 'web_fetch'].map((name) => nativeTool(name))
const servers = {
  context7: serverWithTools(['resolve-library-id', 'query-docs']),
  web: serverWithTools(['archive']),
}
const all = [
  'context7_query-docs',
  'context7_resolve-library-id',
  'grep',
  'view_file',
  'web_archive',
  'web_fetch',
  'web_search',
]

/** BooCode with these agents in `data/AGENTS.md`. */
const withAgents = (markdown: string, files: Readonly<Record<string, string>> = {}, env = {}) =>
  startBoocode(servers, { native, env, files: { 'data/AGENTS.md': markdown, ...files } })

/** The tools of an agent; checks that our view and BooCode's own filter over its tables agree. */
async function seenBy(boocode: Boocode, agent: string): Promise<readonly string[]> {
  const view = await boocode.host.scope({ agent })
  const seen = [...view.tools(), ...view.native()].map(({ name }) => name).sort()
  const { home } = boocode
  const { agents } = await listAgents({
    preset: 'boocode',
    cwd: home,
    platform: { home, systemRoot: `${home}/root`, env: {} },
  })
  const { tools } = agents.find(({ name }) => name === agent) ?? {}
  const filtered = boocode.ALL_TOOLS.map(({ name }) => name).filter((name) =>
    tools ? matchToolGlob(tools, name) : boocode.DEFAULT_TOOLS.includes(name),
  )
  expect(filtered).toEqual(seen)
  return seen
}

describe('BooCode: AGENTS.md', () => {
  test('B12 tools: is read left to right, ! denies, and the last match wins', async () => {
    await using boocode = await withAgents(`## Forth
tools: [*, !web_*, web_fetch]

## Back
tools: [web_fetch, *, !web_*]
`)
    expect(await seenBy(boocode, 'Forth')).toEqual(all.filter((name) => !/^web_[as]/.test(name)))
    expect(await seenBy(boocode, 'Back')).toEqual(all.filter((name) => !name.startsWith('web_')))
  })

  test('B13 matchToolGlob: only * is special', () => {
    const matches = (pattern: string, ...names: readonly string[]) =>
      names.filter((name) => matchToolGlob([pattern], name))
    expect(matches('a?c', 'abc', 'a?c')).toEqual(['a?c'])
    expect(matches('[ab]', 'a', '[ab]')).toEqual(['[ab]'])
    expect(matches('{a,b}', 'a', '{a,b}')).toEqual(['{a,b}'])
    expect(matches('a.c', 'abc', 'a.c')).toEqual(['a.c'])
    expect(matches('*_docs', 'a_docs', '_docs', 'docs', 'a_docs_b')).toEqual(['a_docs', '_docs'])
    expect(matches('*', '', 'a', 'a/b')).toEqual(['', 'a', 'a/b'])
    expect(matches('A*', 'a', 'A')).toEqual(['A'])
  })

  test('B13 matchToolGlob: a pattern with many * does not backtrack without end', () => {
    expect(matchToolGlob([`${'*a'.repeat(200)}b`], 'a'.repeat(2000))).toBe(false)
  })

  test('B14 tools: [*] allows all tools, the same as no list', async () => {
    await using boocode = await withAgents(`## Star
tools: [*]

## None
---
description: It has no list.
---
`)
    expect(await seenBy(boocode, 'Star')).toEqual(all)
    expect(await seenBy(boocode, 'None')).toEqual(all)
  })

  test('B14 tools: [*, !web_*] allows all tools except web', async () => {
    await using boocode = await withAgents('## A\ntools: [*, !web_*]\n')
    expect(await seenBy(boocode, 'A')).toEqual(all.filter((name) => !name.startsWith('web_')))
  })

  test('B14 tools: [view_file, grep, context7_*] allows those two and all of Context7', async () => {
    await using boocode = await withAgents('## A\ntools: [view_file, grep, context7_*]\n')
    expect(await seenBy(boocode, 'A')).toEqual(all.slice(0, 4))
  })

  test('B14 tools: [*] on Architect and [view_file] on Prompt Builder: each agent has its own scope', async () => {
    await using boocode = await withAgents(`## Architect
tools: [*]

## Prompt Builder
tools: [view_file]
`)
    expect(await seenBy(boocode, 'Architect')).toEqual(all)
    expect(await seenBy(boocode, 'Prompt Builder')).toEqual(['view_file'])
  })

  test('B15 tools: a list that only denies allows nothing, and a problem reports it', async () => {
    await using boocode = await withAgents('## A\ntools: [!web_*]\n')
    expect(await seenBy(boocode, 'A')).toEqual([])
    const view = await boocode.host.scope({ agent: 'A' })
    expect(view.problems().map(({ message }) => message)).toEqual([
      expect.stringMatching(/only den|admits nothing/),
    ])
  })

  test('B15 tools: an unreadable list allows nothing, and a warning names its line', async () => {
    await using boocode = await withAgents('# Agents\n\n## A\ntools: [view_file, grep\n\nText.\n')
    expect(await seenBy(boocode, 'A')).toEqual([])
    expect(boocode.warnings).toEqual([
      expect.stringMatching(/data\/AGENTS\.md:4: The tools of the agent "A" cannot be read: .* It sees none/),
    ])
  })

  test('B16 B17 an agent without tools: sees tools that a server adds later', async () => {
    const tool = (name: string) => ({ name, inputSchema: { type: 'object' } })
    const lists = [
      { result: { tools: [tool('first')] } },
      { result: { tools: [tool('first'), tool('late')] } },
    ]
    const a = serverWithTools(['first'], {
      on: { 'tools/list': { each: lists }, 'tools/call:first': [{ listChanged: 'tools' }, 'answer'] },
    })
    const markdown = '## Free\n---\ndescription: No list.\n---\n\n## Narrow\ntools: [a_first]\n'
    await using boocode = await startBoocode({ a }, { files: { 'data/AGENTS.md': markdown } })
    const view = await boocode.host.scope({ agent: 'Free' })
    const changed = new Promise<void>((resolve) => {
      boocode.host.on(({ type }) => void (type === 'catalog.changed' && resolve()))
    })
    await boocode.run('a_first')
    await changed
    expect(view.tools().map(({ name }) => name)).toEqual(['a_first', 'a_late'])
    expect(await seenBy(boocode, 'Free')).toEqual(['a_first', 'a_late'])
    expect(await seenBy(boocode, 'Narrow')).toEqual(['a_first'])
  })

  test('B2 listAgents: reads only /data/AGENTS.md, data/AGENTS.md and the one beside MCP_CONFIG_PATH', async () => {
    const agent = (name: string) => `## ${name}\ntools: [*]\n`
    const person = createPerson(
      {
        '/srv/own/AGENTS.md': agent('Named'),
        '/data/AGENTS.md': agent('Mounted'),
        'data/AGENTS.md': agent('Local'),
        'AGENTS.md': agent('Project'),
        '.claude/agents/claude.md': '---\nname: Claude\n---\n',
      },
      { env: { MCP_CONFIG_PATH: '/srv/own/mcp.json' } },
    )
    const { agents, diagnostics } = await listAgents({ preset: 'boocode', platform: person.platform })
    expect(agents.map(({ name, origin: { file, authority } }) => [name, file, authority])).toEqual([
      ['Named', '/srv/own/AGENTS.md', 'explicit'],
      ['Mounted', '/data/AGENTS.md', 'explicit'],
      ['Local', pathOf('data/AGENTS.md'), 'explicit'],
    ])
    expect(diagnostics).toEqual([])
  })

  test('B2 listAgents: reads a file once if it is both beside MCP_CONFIG_PATH and at the default place', async () => {
    const files = { '/data/AGENTS.md': '## A\ntools: [*]\n' }
    const { platform } = createPerson(files, { env: { MCP_CONFIG_PATH: '/data/mcp.json' } })
    const { agents, diagnostics } = await listAgents({ preset: 'boocode', platform })
    expect([agents.map(({ name }) => name), diagnostics]).toEqual([['A'], []])
  })
})
