import { openai } from '@ai-sdk/openai'
import { generateText, stepCountIs } from 'ai'
import { createHost } from 'plugboard'
import { toAiSdk } from 'plugboard/ai-sdk'

const prompt = process.argv[2] ?? 'What can you do for me here?'
const model = openai(process.env.OPENAI_MODEL ?? 'gpt-5')

const host = await createHost()
const tools = await toAiSdk(host)
const { text } = await generateText({ model, tools, prompt, stopWhen: stepCountIs(20) })
console.log(text)
await host.close()
