import { bearer, contentText, joinResults, objects, parseArgs, pieces, sse, textOf } from './wire-format.ts'
import type { Body, ReceivedMessage, Spoken, WireFormat } from './wire-format.ts'

const finishes = { stop: 'stop', calls: 'tool_calls', length: 'length', filter: 'content_filter' } as const

/** OpenAI chat completions, which most local servers speak too. */
export const openaiChat: WireFormat = {
  base: '/v1',
  isAnswer: (path) => path === '/v1/chat/completions',
  isStream: (_, body) => body.stream === true,
  modelOf: (_, body) => textOf(body.model),
  keyOf: bearer,
  read: (body) => ({
    system: objects(body.messages)
      .filter(({ role }) => role === 'system' || role === 'developer')
      .map(({ content }) => contentText(content))
      .join('\n'),
    messages: joinResults(
      objects(body.messages)
        .filter(({ role }) => role !== 'system' && role !== 'developer')
        .map(readMessage),
    ),
    tools: objects(body.tools).map((tool) => {
      const { name, description, parameters } = tool.function as Body
      return { name: textOf(name), description: textOf(description), schema: parameters }
    }),
  }),
  stream(spoken) {
    const chunk = (delta: Body, finish: string | null = null, more: Body = {}) =>
      sse({
        ...headOf(spoken, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, finish_reason: finish }],
        ...more,
      })
    return {
      body: [
        chunk({ role: 'assistant', content: '' }),
        ...pieces(spoken.reasoning).map((reasoning_content) => chunk({ reasoning_content })),
        ...pieces(spoken.text).map((content) => chunk({ content })),
        ...spoken.calls.flatMap(({ id, name, args }, index) => [
          chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
          ...pieces(args).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
        ]),
      ],
      end: [
        chunk({}, finishes[spoken.finish]),
        sse({ ...headOf(spoken, 'chat.completion.chunk'), choices: [], usage: usageOf(spoken) }),
        sse('[DONE]'),
      ],
      more: (kind) =>
        kind === 'text'
          ? chunk({ content: 'again ' })
          : chunk({
              tool_calls: [{ index: Math.max(0, spoken.calls.length - 1), function: { arguments: ' ' } }],
            }),
    }
  },
  whole: (spoken) => ({
    ...headOf(spoken, 'chat.completion'),
    choices: [
      {
        index: 0,
        finish_reason: finishes[spoken.finish],
        message: {
          role: 'assistant',
          content: spoken.text,
          ...(spoken.calls.length > 0 && {
            tool_calls: spoken.calls.map(({ id, name, args }) => ({
              id,
              type: 'function',
              function: { name, arguments: args },
            })),
          }),
        },
      },
    ],
    usage: usageOf(spoken),
  }),
  error: (status, message) => ({ error: { message, type: 'scripted', code: String(status), param: null } }),
  list: (models) => ({
    object: 'list',
    data: models.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'scripted' })),
  }),
}

function headOf({ id, model }: Spoken, object: string) {
  return { id, object, created: 1_700_000_000, model }
}

function usageOf({ usage: { input, output, cached } }: Spoken) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  }
}

function readMessage({ role, content, tool_calls: calls, tool_call_id: id }: Body): ReceivedMessage {
  if (role === 'tool')
    return { role: 'tool', text: '', results: [{ id: textOf(id), text: contentText(content) }] }
  const files = objects(content).flatMap((part) =>
    part.type === 'image_url' ? ['image/*'] : part.type === 'file' ? ['*/*'] : [],
  )
  return {
    role: role === 'assistant' ? 'assistant' : 'user',
    text: contentText(content),
    ...(calls !== undefined && {
      calls: objects(calls).map((call) => {
        const { name, arguments: args } = call.function as Body
        return { id: textOf(call.id), name: textOf(name), args: parseArgs(args) }
      }),
    }),
    ...(files.length > 0 && { files }),
  }
}
