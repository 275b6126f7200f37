import { expect, test } from 'vitest'
import { home, memoryMachine, project } from '../../test/support/memory-machine.ts'
import type { Env } from '../platform/platform.ts'
import { agentReference } from './agent-reference.ts'

const settings = {
  model: 'anthropic/claude-sonnet-9',
  endpoints: { mine: { kind: 'openai-compatible', url: 'http://127.0.0.1:9/v1' } },
}

function find(model: string | undefined, authority: 'project' | 'user', env: Env = {}) {
  const { platform } = memoryMachine({ '~/.config/plugboard/settings.json': settings }, env)
  const file = authority === 'project' ? `${project}/AGENTS.md` : `${home}/AGENTS.md`
  const agent = { name: 'a', origin: { file, line: 1, authority }, ...(model !== undefined && { model }) }
  return agentReference(agent, { platform })
}

test.each<[string | undefined, object]>([
  [undefined, {}],
  ['inherit', {}],
  ['sonnet', {}],
  ['Sonnet', {}],
  ['mine/llama/3', { ref: 'mine/llama/3' }],
  ['anthropic/claude-opus-9', { ref: 'anthropic/claude-opus-9' }],
  ['claude-opus-9', { ref: 'anthropic/claude-opus-9' }],
])('T65 a project’s agent may name %s', async (model, expected) => {
  expect(await find(model, 'project')).toEqual(expected)
})

test.each([
  ['openai/gpt-5', /its endpoint "openai" is not in your settings.*To use it: --model openai\/gpt-5$/],
  ['gpt-5', /its endpoint "openai" is not in your settings/],
  ['ollama/llama3.2', /its endpoint "ollama" is not in your settings/],
  ['http://evil.example/v1/m', /which is no model of an endpoint here/],
  ['mine/', /which is no model of an endpoint here/],
  ['opus', /which is no model of an endpoint here/],
  ['GPT-5 (copilot)', /which is no model of an endpoint here/],
])('T65 a project’s agent cannot send a conversation to %s', async (model, problem) => {
  expect(await find(model, 'project', { OPENAI_API_KEY: 'k' })).toEqual({
    problem: expect.stringMatching(problem) as string,
  })
})

test.each([
  'mine/../../admin/delete?x=',
  'mine/%2e%2e/admin',
  'mine/m#',
  'mine/a\\..\\b',
  'mine/a b',
  'mine/a\u001b[2J',
])('T65 an agent file cannot choose another path of an endpoint by %j', async (model) => {
  for (const authority of ['project', 'user'] as const)
    expect(await find(model, authority)).toEqual({
      problem: expect.stringMatching(/AGENTS\.md: The agent "a" .*cannot be the name of a model/) as string,
    })
})

test('a person’s own agent may name a built-in endpoint whose key is set, or that needs none', async () => {
  expect(await find('openai/gpt-5', 'user', { OPENAI_API_KEY: 'k' })).toEqual({ ref: 'openai/gpt-5' })
  expect(await find('ollama/llama3.2', 'user')).toEqual({ ref: 'ollama/llama3.2' })
  expect(await find('gpt-5', 'user')).toEqual({
    problem:
      'The agent "a" names the model "gpt-5", but there is no key for "openai"; it is not used. Set OPENAI_API_KEY.',
  })
})
