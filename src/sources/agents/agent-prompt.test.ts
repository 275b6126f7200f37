import { expect, test } from 'vitest'
import { home, memoryMachine, project } from '../../../test/support/memory-machine.ts'
import { createWorld } from '../../config/world.ts'
import { readAgents } from './read-agents.ts'

async function read(texts: Readonly<Record<string, unknown>>) {
  const { platform, files } = memoryMachine(texts)
  const { agents, diagnostics } = await readAgents(await createWorld(platform), files)
  return {
    agents: agents.map(({ name, prompt, model }) => [name, model, prompt]),
    problems: diagnostics.map(({ code, message, origin }) => [code, message, origin?.line]),
  }
}

test.each<[string, string, string, readonly unknown[]]>([
  [
    'Claude Code',
    '.claude/agents/a.md',
    '---\nname: a\nmodel: sonnet # fast\n---\n\nYou review.\n\nBe kind.\n',
    ['a', 'sonnet', 'You review.\n\nBe kind.'],
  ],
  [
    'Copilot, whose model may be a list',
    '.github/agents/a.agent.md',
    "---\nmodel: ['GPT-5 (copilot)', 'o3']\n---\nYou plan.",
    ['a', 'GPT-5 (copilot)', 'You plan.'],
  ],
  [
    'Copilot, whose model may be lines',
    '.github/agents/a.agent.md',
    '---\nmodel:\n  - GPT-5\n  - o3\n---\nYou plan.',
    ['a', 'GPT-5', 'You plan.'],
  ],
  [
    'opencode',
    '.opencode/agent/a.md',
    '---\nmodel: anthropic/claude-x\n---\r\nYou build.\r\n',
    ['a', 'anthropic/claude-x', 'You build.'],
  ],
  [
    'opencode without front matter',
    '.opencode/agent/a.md',
    '\ufeffYou build.\n',
    ['a', undefined, 'You build.'],
  ],
])('a file of %s gives the prompt and the model', async (_what, file, text, agent) => {
  expect(await read({ [file]: text })).toEqual({ agents: [agent], problems: [] })
})

test('B12 the prompt of a section of AGENTS.md is its text, with what is below it, up to the next agent', async () => {
  const text = `# Shop

Use pnpm.

## Architect
description: Plans.
model: ollama/big
tools: [*,
  !web_*]

Plan first.

### Rules
\`\`\`
## no heading
\`\`\`

## Coder
---
name: coder
model: openai/gpt-5
---
Write code.
### Inner
tools: [a]
Only this.

## Style
Prettier.
`
  expect((await read({ 'AGENTS.md': text })).agents).toEqual([
    ['Architect', 'ollama/big', 'Plan first.\n\n### Rules\n```\n## no heading\n```'],
    ['coder', 'openai/gpt-5', 'Write code.'],
    ['Inner', undefined, 'Only this.'],
  ])
})

test('front matter of the whole AGENTS.md has the whole file as its prompt', async () => {
  const text = '---\nname: all\n---\n# One\n\nText.\n\n# Two\n'
  expect((await read({ 'AGENTS.md': text })).agents).toEqual([['all', undefined, '# One\n\nText.\n\n# Two']])
})

test('T58 opencode’s settings give prompts, also from files; a project reads only files of the project', async () => {
  const agent = {
    plain: { prompt: 'You build.', model: 'anthropic/claude-x' },
    file: { prompt: '{file:./prompts/coder.md}' },
    out: { prompt: `{file:${home}/secret.txt}` },
    gone: { prompt: '{file:none.md}' },
  }
  const texts = {
    'opencode.json': JSON.stringify({ agent }, undefined, 1),
    'prompts/coder.md': 'You code.\n',
    [`${home}/secret.txt`]: 'secret',
    '~/.config/opencode/opencode.json': { agent: { mine: { prompt: '{file:~/secret.txt}' } } },
  }
  expect(await read(texts)).toEqual({
    agents: [
      ['plain', 'anthropic/claude-x', 'You build.'],
      ['file', undefined, 'You code.'],
      ['out', undefined, undefined],
      ['gone', undefined, undefined],
      ['mine', undefined, 'secret'],
    ],
    problems: [
      [
        'unreadable-file',
        `The prompt of the agent "out" is not used: ${home}/secret.txt is outside the project.`,
        11,
      ],
      ['unreadable-file', 'The prompt of the agent "gone" is not used: there is no file none.md.', 14],
    ],
  })
})

test('a prompt of more than 256 KiB is left out; invisible characters are removed; both are reported', async () => {
  const large = `---\nname: large\n---\n${'é'.repeat(131_073)}`
  const hidden = '---\nname: hidden\nmodel: "a\u200bb"\n---\nHel\u{e0041}lo'
  expect(await read({ '.claude/agents/a.md': large, '.claude/agents/b.md': hidden })).toEqual({
    agents: [
      ['large', undefined, undefined],
      ['hidden', undefined, 'Hello'],
    ],
    problems: [
      ['out-of-range', 'The prompt of the agent "large" is larger than 256 KiB; it is not used.', 1],
      [
        'wrong-type',
        'The model of the agent "hidden" is not a name of at most 200 visible characters; it is not used.',
        1,
      ],
      ['hidden-characters', 'The prompt of the agent "hidden" contains tag characters; they are removed.', 1],
    ],
  })
  const fitting = `---\nname: fits\n---\n${'é'.repeat(131_072)}`
  expect((await read({ [`${project}/.claude/agents/a.md`]: fitting })).problems).toEqual([])
})
