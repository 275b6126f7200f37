import { openai } from '@ai-sdk/openai'
import { generateText, stepCountIs } from 'ai'
import { createHost } from 'plugboard'
import { toAiSdk } from 'plugboard/ai-sdk'

const prompt = process.argv[2] ?? 'What can you do for me here?'
const model = openai(process.env.OPENAI_MODEL ?? 'gpt-5')

const files = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem@2026.8.31', '.'] }
const host = await createHost({ servers: { files } })
const { text } = await generateText({ model, tools: await toAiSdk(host), prompt, stopWhen: stepCountIs(20) })
console.log(text)
await host.close()
