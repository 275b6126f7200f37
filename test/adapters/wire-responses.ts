import type { ModelResult, Wire, WireBody } from './model-server.ts'

/** OpenAI: `POST /v1/responses` */
export const responses: Wire = {
  read({ tools = [], input }: WireBody) {
    const items: readonly WireBody[] = typeof input === 'string' ? [] : input
    const results = items.filter(({ type }) => type === 'function_call_output')
    return {
      tools: (tools as readonly WireBody[]).map(({ name, description, parameters }) => ({
        name,
        ...(description !== undefined && { description }),
        schema: parameters,
      })),
      results: results.map(({ output }) => toResult(output)),
      callIds: items.filter(({ type }) => type === 'function_call').map(({ call_id: id }) => id),
      resultIds: results.map(({ call_id: id }) => id),
    }
  },
  write(reply, idOf) {
    const output =
      'says' in reply
        ? [
            {
              type: 'message',
              id: 'msg_1',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: reply.says, annotations: [] }],
            },
          ]
        : reply.calls.map(({ name, args }, index) => ({
            type: 'function_call',
            id: `fc_${idOf(index)}`,
            call_id: idOf(index),
            name,
            arguments: JSON.stringify(args),
            status: 'completed',
          }))
    return {
      id: 'resp_1',
      object: 'response',
      created_at: 0,
      status: 'completed',
      model: 'scripted',
      output,
      error: null,
      incomplete_details: null,
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    }
  },
}

function toResult(output: string | readonly WireBody[]): ModelResult {
  if (typeof output === 'string') return { text: output }
  return {
    text: output
      .filter(({ type }) => type === 'input_text')
      .map(({ text }) => text)
      .join(''),
    images: output.filter(({ type }) => type === 'input_image').map(({ image_url: url }) => url),
  }
}
