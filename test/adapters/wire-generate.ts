import type { ModelResult, Wire, WireBody } from './model-server.ts'

/** Google: `POST /v1beta/models/MODEL:generateContent` */
export const generateContent: Wire = {
  read({ tools = [], contents }: WireBody) {
    const parts = (contents as readonly WireBody[]).flatMap(({ parts: all }) => all as readonly WireBody[])
    const declared = (tools as readonly WireBody[]).flatMap(
      ({ functionDeclarations }) => functionDeclarations as readonly WireBody[],
    )
    const responses = parts.filter(({ functionResponse }) => functionResponse !== undefined)
    return {
      tools: declared.map(({ name, description, parametersJsonSchema: schema }) => ({
        name,
        ...(description !== undefined && { description }),
        schema,
      })),
      results: responses.map(({ functionResponse: { response } }) => toResult(response)),
      callIds: parts.flatMap(({ functionCall }) => functionCall?.id ?? []),
      resultIds: responses.map(({ functionResponse: { id } }) => id),
    }
  },
  write(reply, idOf) {
    const parts =
      'says' in reply
        ? [{ text: reply.says }]
        : reply.calls.map(({ name, args }, index) => ({ functionCall: { id: idOf(index), name, args } }))
    return {
      candidates: [{ index: 0, finishReason: 'STOP', content: { role: 'model', parts } }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    }
  },
}

function toResult({ output, error }: WireBody): ModelResult {
  return error === undefined ? { text: output } : { text: error, failed: true }
}
