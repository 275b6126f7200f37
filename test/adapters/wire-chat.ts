import type { Wire, WireBody } from './model-server.ts'

/** OpenAI: `POST /v1/chat/completions` */
export const chat: Wire = {
  read({ tools = [], messages }: WireBody) {
    const all = messages as readonly WireBody[]
    const results = all.filter(({ role }) => role === 'tool')
    return {
      tools: (tools as readonly WireBody[]).map(({ function: { name, description, parameters } }) => ({
        name,
        ...(description !== undefined && { description }),
        schema: parameters,
      })),
      results: results.map(({ content }) => {
        if (typeof content !== 'string') throw new Error('a result must be text')
        return { text: content }
      }),
      callIds: all.flatMap(({ tool_calls: calls = [] }) =>
        (calls as readonly WireBody[]).map(({ id }) => id),
      ),
      resultIds: results.map(({ tool_call_id: id }) => id),
    }
  },
  write(reply, idOf) {
    const message =
      'says' in reply
        ? { content: reply.says }
        : {
            content: null,
            tool_calls: reply.calls.map(({ name, args }, index) => ({
              id: idOf(index),
              type: 'function',
              function: { name, arguments: JSON.stringify(args) },
            })),
          }
    return {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 0,
      model: 'scripted',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', refusal: null, ...message },
          logprobs: null,
          finish_reason: 'says' in reply ? 'stop' : 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    }
  },
}
