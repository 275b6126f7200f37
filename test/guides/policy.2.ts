import { createHost } from 'plugboard'
import { toAiSdk } from 'plugboard/ai-sdk'
import { toAnthropic } from 'plugboard/anthropic'
import { toLangChain } from 'plugboard/langchain'
import { toOpenAi } from 'plugboard/openai'

await using host = await createHost()
const view = await host.scope({ tools: ['github__*'] })
const warn = (..._texts: readonly string[]) => undefined
//- snippet
