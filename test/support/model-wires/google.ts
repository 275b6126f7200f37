import { contentText, joinResults, objects, parseArgs, pieces, sse, textOf } from './wire-format.ts'
import type { Body, ReceivedMessage, Spoken, WireFormat } from './wire-format.ts'

const finishes = { stop: 'STOP', calls: 'STOP', length: 'MAX_TOKENS', filter: 'SAFETY' } as const

/** Google's generateContent. A call arrives whole; arguments that are no JSON are a string in place of an object. */
export const google: WireFormat = {
  base: '/v1beta',
  isAnswer: (path) => /^\/v1beta\/models\/[^:]+:(streamGenerateContent|generateContent)$/.test(path),
  isStream: (path) => path.endsWith(':streamGenerateContent'),
  modelOf: (path) => decodeURIComponent(/models\/([^:]+):/.exec(path)?.[1] ?? ''),
  keyOf: (headers, url) => textOf(headers['x-goog-api-key']) || (url.searchParams.get('key') ?? undefined),
  read: (body) => ({
    system: contentText((body.systemInstruction as Body | undefined)?.parts),
    messages: joinResults(objects(body.contents).flatMap(readContent)),
    tools: objects(body.tools)
      .flatMap((tool) => objects(tool.functionDeclarations))
      .map(({ name, description, parameters, parametersJsonSchema }) => ({
        name: textOf(name),
        description: textOf(description),
        schema: parametersJsonSchema ?? parameters,
      })),
  }),
  stream(spoken) {
    const chunk = (parts: readonly Body[], more: Body = {}, candidate: Body = {}) =>
      sse({
        candidates: [{ content: { role: 'model', parts }, index: 0, ...candidate }],
        ...headOf(spoken),
        ...more,
      })
    return {
      body: [
        ...pieces(spoken.reasoning).map((text) => chunk([{ text, thought: true }])),
        ...pieces(spoken.text).map((text) => chunk([{ text }])),
        ...spoken.calls.map((call) => chunk([callPart(call)])),
      ],
      end: [
        chunk([{ text: '' }], { usageMetadata: usageOf(spoken) }, { finishReason: finishes[spoken.finish] }),
      ],
      more: () => chunk([{ text: 'again ' }]),
    }
  },
  whole: (spoken) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            ...(spoken.reasoning ? [{ text: spoken.reasoning, thought: true }] : []),
            ...(spoken.text ? [{ text: spoken.text }] : []),
            ...spoken.calls.map(callPart),
          ],
        },
        index: 0,
        finishReason: finishes[spoken.finish],
      },
    ],
    ...headOf(spoken),
    usageMetadata: usageOf(spoken),
  }),
  error: (status, message) => ({ error: { code: status, message, status: 'SCRIPTED' } }),
  list: (models) => ({
    models: models.map((id) => ({
      name: `models/${id}`,
      displayName: id,
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: ['generateContent', 'countTokens'],
    })),
  }),
}

function headOf({ id, model }: Spoken): Body {
  return { modelVersion: model, responseId: id }
}

function callPart({ id, name, args }: Spoken['calls'][number]): Body {
  return { functionCall: { id, name, args: parseArgs(args) } }
}

function usageOf({ usage: { input, output, cached } }: Spoken): Body {
  return {
    promptTokenCount: input,
    candidatesTokenCount: output,
    cachedContentTokenCount: cached,
    totalTokenCount: input + output,
  }
}

function readContent({ role, parts: list }: Body): readonly ReceivedMessage[] {
  const parts = objects(list)
  const responses = parts.flatMap((part) => (part.functionResponse ? [part.functionResponse as Body] : []))
  const rest = parts.filter((part) => !part.functionResponse)
  const calls = rest.flatMap((part) => (part.functionCall ? [part.functionCall as Body] : []))
  const files = rest.flatMap((part) => (part.inlineData ? [textOf((part.inlineData as Body).mimeType)] : []))
  const found: ReceivedMessage[] = []
  if (responses.length > 0)
    found.push({
      role: 'tool',
      text: '',
      results: responses.map(({ id, name, response }) => ({
        id: textOf(id) || textOf(name),
        text: responseText(response),
      })),
    })
  if (rest.length > 0)
    found.push({
      role: role === 'model' ? 'assistant' : 'user',
      text: rest
        .filter(({ thought }) => thought !== true)
        .map(({ text }) => textOf(text))
        .join(''),
      ...(calls.length > 0 && {
        calls: calls.map(({ id, name, args }) => ({
          id: textOf(id) || textOf(name),
          name: textOf(name),
          args,
        })),
      }),
      ...(files.length > 0 && { files }),
    })
  return found
}

/** The AI SDK wraps a text as `{ name, content }`. */
function responseText(response: unknown): string {
  const { content } = (response ?? {}) as Body
  return typeof content === 'string' ? content : JSON.stringify(content ?? response)
}
