import { bearer, contentText, joinResults, objects, parseArgs, pieces, sse, textOf } from './wire-format.ts'
import type { Body, ReceivedMessage, Spoken, WireFormat } from './wire-format.ts'

/**
 * OpenAI responses: typed events. A client may refer to items of earlier answers by their ids instead of repeating
 * them; `items` holds what was sent.
 */
export function openaiResponses(): WireFormat {
  const items = new Map<string, Body>()
  return {
    base: '/v1',
    isAnswer: (path) => path === '/v1/responses',
    isStream: (_, body) => body.stream === true,
    modelOf: (_, body) => textOf(body.model),
    keyOf: bearer,
    read(body) {
      const input = objects(body.input).map((item) =>
        item.type === 'item_reference' ? (items.get(textOf(item.id)) ?? item) : item,
      )
      const isSystem = ({ role }: Body) => role === 'system' || role === 'developer'
      return {
        system: [
          textOf(body.instructions),
          ...input.filter(isSystem).map(({ content }) => contentText(content)),
        ]
          .filter(Boolean)
          .join('\n'),
        messages: joinCalls(input.filter((item) => !isSystem(item)).map(readItem)),
        tools: objects(body.tools).map(({ name, description, parameters }) => ({
          name: textOf(name),
          description: textOf(description),
          schema: parameters,
        })),
      }
    },
    stream(spoken) {
      let sequence = 0
      const event = (type: string, data: Body) => sse({ type, sequence_number: sequence++, ...data }, type)
      const response = responseOf(spoken, 'in_progress')
      const output = outputOf(spoken)
      for (const item of output) items.set(textOf(item.id), item)
      return {
        body: [
          event('response.created', { response }),
          event('response.in_progress', { response }),
          ...output.flatMap((item, output_index) => itemEvents(item, output_index, event)),
        ],
        end: [
          event(isCut(spoken) ? 'response.incomplete' : 'response.completed', {
            response: responseOf(spoken, isCut(spoken) ? 'incomplete' : 'completed'),
          }),
        ],
        more: (kind) =>
          kind === 'text'
            ? event('response.output_text.delta', {
                item_id: `msg_${spoken.id}`,
                output_index: 0,
                content_index: 0,
                delta: 'again ',
              })
            : event('response.function_call_arguments.delta', {
                item_id: `fc_${spoken.calls.at(-1)?.id ?? ''}`,
                output_index: output.length - 1,
                delta: ' ',
              }),
      }
    },
    whole(spoken) {
      for (const item of outputOf(spoken)) items.set(textOf(item.id), item)
      return responseOf(spoken, 'completed')
    },
    error: (status, message) => ({ error: { message, type: 'scripted', code: String(status), param: null } }),
    list: (models) => ({
      object: 'list',
      data: models.map((id) => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'scripted' })),
    }),
  }
}

type EventOf = (type: string, data: Body) => string

function itemEvents(item: Body, output_index: number, event: EventOf): readonly string[] {
  const at = { item_id: textOf(item.id), output_index }
  const done = event.bind(undefined, 'response.output_item.done', { output_index, item })
  if (item.type === 'function_call') {
    const args = textOf(item.arguments)
    return [
      event('response.output_item.added', {
        output_index,
        item: { ...item, status: 'in_progress', arguments: '' },
      }),
      ...pieces(args).map((delta) => event('response.function_call_arguments.delta', { ...at, delta })),
      event('response.function_call_arguments.done', { ...at, arguments: args }),
      done(),
    ]
  }
  if (item.type === 'reasoning') {
    const text = contentText(item.summary)
    return [
      event('response.output_item.added', { output_index, item: { ...item, summary: [] } }),
      event('response.reasoning_summary_part.added', { ...at, summary_index: 0 }),
      ...pieces(text).map((delta) =>
        event('response.reasoning_summary_text.delta', { ...at, summary_index: 0, delta }),
      ),
      event('response.reasoning_summary_part.done', { ...at, summary_index: 0 }),
      done(),
    ]
  }
  return [
    event('response.output_item.added', { output_index, item: { ...item, content: [] } }),
    ...pieces(contentText(item.content)).map((delta) =>
      event('response.output_text.delta', { ...at, content_index: 0, delta }),
    ),
    done(),
  ]
}

/** The items of an answer. One message is always there, so that `more` has a place for text. */
function outputOf({ id, text, reasoning, calls }: Spoken): readonly Body[] {
  return [
    ...(reasoning
      ? [{ type: 'reasoning', id: `rs_${id}`, summary: [{ type: 'summary_text', text: reasoning }] }]
      : []),
    ...(text || calls.length === 0
      ? [
          {
            type: 'message',
            id: `msg_${id}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]
      : []),
    ...calls.map((call) => ({
      type: 'function_call',
      id: `fc_${call.id}`,
      call_id: call.id,
      name: call.name,
      arguments: call.args,
      status: 'completed',
    })),
  ]
}

function isCut({ finish }: Spoken): boolean {
  return finish === 'length' || finish === 'filter'
}

function responseOf(spoken: Spoken, status: string): Body {
  const { input, output, cached } = spoken.usage
  return {
    id: spoken.id,
    object: 'response',
    created_at: 1_700_000_000,
    model: spoken.model,
    status,
    error: null,
    incomplete_details:
      status === 'incomplete'
        ? { reason: spoken.finish === 'filter' ? 'content_filter' : 'max_output_tokens' }
        : null,
    output: status === 'in_progress' ? [] : outputOf(spoken),
    ...(status !== 'in_progress' && {
      usage: {
        input_tokens: input,
        input_tokens_details: { cached_tokens: cached },
        output_tokens: output,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: input + output,
      },
    }),
  }
}

function readItem(item: Body): ReceivedMessage {
  if (item.type === 'function_call_output') {
    const { output } = item
    return { role: 'tool', text: '', results: [{ id: textOf(item.call_id), text: contentText(output) }] }
  }
  if (item.type === 'function_call') {
    const call = { id: textOf(item.call_id), name: textOf(item.name), args: parseArgs(item.arguments) }
    return { role: 'assistant', text: '', calls: [call] }
  }
  const files = objects(item.content).flatMap((part) =>
    part.type === 'input_image' ? ['image/*'] : part.type === 'input_file' ? ['*/*'] : [],
  )
  return {
    role: item.role === 'user' ? 'user' : 'assistant',
    text: item.type === 'reasoning' ? '' : contentText(item.content),
    ...(files.length > 0 && { files }),
  }
}

/** The items of one answer become one message, as in the other formats. */
function joinCalls(messages: readonly ReceivedMessage[]): readonly ReceivedMessage[] {
  const joined: ReceivedMessage[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (last?.role !== 'assistant' || message.role !== 'assistant') joined.push(message)
    else {
      const calls = [...(last.calls ?? []), ...(message.calls ?? [])]
      joined[joined.length - 1] = {
        role: 'assistant',
        text: last.text + message.text,
        ...(calls.length > 0 && { calls }),
      }
    }
  }
  return joinResults(joined)
}
