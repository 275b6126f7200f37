// Compiled and run by scripts/test-peers.mjs as a program of an embedder: against the packed package, beside the libraries.
import assert from 'node:assert/strict'
import type Anthropic from '@anthropic-ai/sdk'
import type { GoogleGenAI } from '@google/genai'
import type { BindToolsInput } from '@langchain/core/language_models/chat_models'
import { Agent as MastraAgent } from '@mastra/core/agent'
import { Agent } from '@openai/agents'
import type { generateText } from 'ai'
import type OpenAI from 'openai'
import { createHost } from 'plugboard'
import { toAiSdk } from 'plugboard/ai-sdk'
import { toAnthropic } from 'plugboard/anthropic'
import { toGoogle } from 'plugboard/google'
import { toLangChain } from 'plugboard/langchain'
import { toMastra } from 'plugboard/mastra'
import { toOpenAi } from 'plugboard/openai'
import { toOpenAiAgents } from 'plugboard/openai-agents'
import { createScriptedServer } from 'plugboard/testing'

const notes = createScriptedServer({
  tools: [{ name: 'add', description: 'Adds a note.', inputSchema: { type: 'object' } }],
  on: { 'tools/call': () => ({ content: [{ type: 'text', text: 'added' }] }) },
})
const host = await createHost({ servers: { notes: { channel: notes.open } } })

const forAiSdk: NonNullable<Parameters<typeof generateText>[0]['tools']> = await toAiSdk(host)
const { chat, responses } = await toOpenAi(host)
const forChat: OpenAI.Chat.Completions.ChatCompletionTool[] = chat.tools
const forResponses: OpenAI.Responses.Tool[] = responses.tools
const anthropic = await toAnthropic(host)
const forAnthropic: Anthropic.Messages.ToolUnion[] = anthropic.tools
const google = await toGoogle(host)
const config: Parameters<GoogleGenAI['models']['generateContent']>[0]['config'] = { tools: google.tools }
const forLangChain: BindToolsInput[] = await toLangChain(host)
const tools = await toMastra(host)
const mastra = new MastraAgent({ id: 'm', name: 'm', instructions: 'Help.', model: 'openai/gpt-5', tools })
const agent = new Agent({ name: 'a', tools: await toOpenAiAgents(host) })
const typed = new Agent<{ readonly user: string }>({ name: 'a', tools: await toOpenAiAgents(host) })

assert.deepEqual(Object.keys(forAiSdk), ['notes__add'])
assert.equal(forChat.length + forResponses.length + forAnthropic.length + forLangChain.length, 4)
assert.equal(config?.tools?.length, 1)
assert.deepEqual(Object.keys(await mastra.listTools()), ['notes__add'])
assert.deepEqual(
  [...agent.tools, ...typed.tools].map(({ name }) => name),
  ['notes__add', 'notes__add'],
)

const called = { name: 'notes__add', arguments: '{}' }
assert.deepEqual(await chat.run([{ id: '1', type: 'function', function: called }]), [
  { role: 'tool', tool_call_id: '1', content: 'added' },
])
assert.deepEqual(await google.run([{ name: 'notes__add' }]), [
  { functionResponse: { name: 'notes__add', response: { output: 'added' } } },
])
await host.close()
