import type { ModelResult, Wire, WireBody } from './model-server.ts'

/** Anthropic: `POST /v1/messages` */
export const messages: Wire = {
  read({ tools = [], messages: all }: WireBody) {
    const blocks = (all as readonly WireBody[]).flatMap(({ content }) =>
      typeof content === 'string' ? [] : (content as readonly WireBody[]),
    )
    const results = blocks.filter(({ type }) => type === 'tool_result')
    return {
      tools: (tools as readonly WireBody[]).map(({ name, description, input_schema: schema }) => ({
        name,
        ...(description !== undefined && { description }),
        schema,
      })),
      results: results.map(toResult),
      callIds: blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => id),
      resultIds: results.map(({ tool_use_id: id }) => id),
    }
  },
  write(reply, idOf) {
    const content =
      'says' in reply
        ? [{ type: 'text', text: reply.says, citations: null }]
        : reply.calls.map(({ name, args }, index) => ({
            type: 'tool_use',
            id: idOf(index),
            name,
            input: args,
          }))
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      content,
      stop_reason: 'says' in reply ? 'end_turn' : 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    }
  },
}

function toResult({ content, is_error: failed }: WireBody): ModelResult {
  const parts: readonly WireBody[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  const images = parts
    .filter(({ type }) => type === 'image')
    .map(({ source }) => `data:${source.media_type};base64,${source.data}`)
  return {
    text: parts
      .filter(({ type }) => type === 'text')
      .map(({ text }) => text)
      .join(''),
    ...(failed === true && { failed: true }),
    ...(images.length > 0 && { images }),
  }
}
