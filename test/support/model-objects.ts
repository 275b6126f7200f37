import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModel } from 'ai'
import type { ModelServer } from './model-server.ts'

/** The model of the AI SDK that speaks to this server, as an embedder would make it. */
export function modelOf(
  server: ModelServer,
  id = 'scripted',
  apiKey = 'key-of-a-test',
): Exclude<LanguageModel, string> {
  const options = { baseURL: server.url, apiKey }
  if (server.wire === 'openai-chat')
    return createOpenAICompatible({ ...options, name: 'scripted', includeUsage: true })(id)
  if (server.wire === 'openai-responses') return createOpenAI(options).responses(id)
  return server.wire === 'anthropic' ? createAnthropic(options)(id) : createGoogleGenerativeAI(options)(id)
}
