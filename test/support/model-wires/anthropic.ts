import { bearer, contentText, objects, parseArgs, pieces, sse, textOf } from './wire-format.ts'
import type { Body, ReceivedMessage, Spoken, WireFormat } from './wire-format.ts'

const finishes = { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens', filter: 'refusal' } as const

/** Anthropic messages: named events around content blocks. */
export const anthropic: WireFormat = {
  base: '/v1',
  isAnswer: (path) => path === '/v1/messages',
  isStream: (_, body) => body.stream === true,
  modelOf: (_, body) => textOf(body.model),
  keyOf: (headers) => textOf(headers['x-api-key']) || bearer(headers),
  read: (body) => ({
    system: contentText(body.system),
    messages: objects(body.messages).flatMap(readMessage),
    tools: objects(body.tools).map(({ name, description, input_schema: schema }) => ({
      name: textOf(name),
      description: textOf(description),
      schema,
    })),
  }),
  stream(spoken) {
    const blocks = blocksOf(spoken)
    let isOpen = false
    const event = (type: string, data: Body) => sse({ type, ...data }, type)
    return {
      body: [
        event('message_start', {
          message: { ...messageOf(spoken), content: [], stop_reason: null, usage: usageOf(spoken, 1) },
        }),
        event('ping', {}),
        ...blocks.flatMap(({ start, deltas }, index) => [
          event('content_block_start', { index, content_block: start }),
          ...deltas.map((delta) => event('content_block_delta', { index, delta })),
          event('content_block_stop', { index }),
        ]),
      ],
      end: [
        event('message_delta', {
          delta: { stop_reason: finishes[spoken.finish], stop_sequence: null },
          usage: { output_tokens: spoken.usage.output },
        }),
        event('message_stop', {}),
      ],
      // One more block, which stays open: the blocks before it are closed.
      more: (kind) => {
        const index = blocks.length
        const [start, delta]: readonly [Body, Body] =
          kind === 'text'
            ? [
                { type: 'text', text: '' },
                { type: 'text_delta', text: 'again ' },
              ]
            : [
                {
                  type: 'tool_use',
                  id: 'toolu_endless',
                  name: spoken.calls.at(-1)?.name ?? 'endless',
                  input: {},
                },
                { type: 'input_json_delta', partial_json: ' ' },
              ]
        const open = isOpen ? '' : event('content_block_start', { index, content_block: start })
        isOpen = true
        return open + event('content_block_delta', { index, delta })
      },
    }
  },
  whole: (spoken) => ({
    ...messageOf(spoken),
    content: blocksOf(spoken).map(({ whole }) => whole),
    stop_reason: finishes[spoken.finish],
    usage: usageOf(spoken, spoken.usage.output),
  }),
  error: (status, message) => ({
    type: 'error',
    error: { type: status === 429 ? 'rate_limit_error' : 'api_error', message },
  }),
  list: (models) => ({
    data: models.map((id) => ({
      type: 'model',
      id,
      display_name: id,
      created_at: '2026-01-01T00:00:00Z',
    })),
    has_more: false,
    first_id: models[0] ?? null,
    last_id: models.at(-1) ?? null,
  }),
}

interface ContentBlock {
  readonly start: Body
  readonly deltas: readonly Body[]
  readonly whole: Body
}

function blocksOf({ text, reasoning, calls }: Spoken): readonly ContentBlock[] {
  const blocks: ContentBlock[] = []
  if (reasoning)
    blocks.push({
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...pieces(reasoning).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: 'c2lnbmVk' },
      ],
      whole: { type: 'thinking', thinking: reasoning, signature: 'c2lnbmVk' },
    })
  if (text)
    blocks.push({
      start: { type: 'text', text: '' },
      deltas: pieces(text).map((piece) => ({ type: 'text_delta', text: piece })),
      whole: { type: 'text', text },
    })
  for (const { id, name, args } of calls)
    blocks.push({
      start: { type: 'tool_use', id, name, input: {} },
      deltas: pieces(args).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      whole: { type: 'tool_use', id, name, input: parseArgs(args) },
    })
  return blocks
}

function messageOf({ id, model }: Spoken): Body {
  return { id, type: 'message', role: 'assistant', model, stop_sequence: null }
}

/** `input_tokens` excludes what came from the cache. */
function usageOf({ usage: { input, cached } }: Spoken, output: number): Body {
  return {
    input_tokens: input - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: output,
  }
}

/** Results stand in messages of the user; they become messages of their own. */
function readMessage({ role, content }: Body): readonly ReceivedMessage[] {
  if (typeof content === 'string')
    return [{ role: role === 'assistant' ? 'assistant' : 'user', text: content }]
  const parts = objects(content)
  const results = parts.filter(({ type }) => type === 'tool_result')
  const rest = parts.filter(({ type }) => type !== 'tool_result')
  const calls = rest.filter(({ type }) => type === 'tool_use')
  const files = rest.flatMap(({ type }) =>
    type === 'image' ? ['image/*'] : type === 'document' ? ['*/*'] : [],
  )
  const found: ReceivedMessage[] = []
  if (results.length > 0)
    found.push({
      role: 'tool',
      text: '',
      results: results.map((part) => ({
        id: textOf(part.tool_use_id),
        text: contentText(part.content),
        ...(part.is_error === true && { isError: true }),
      })),
    })
  if (rest.length > 0)
    found.push({
      role: role === 'assistant' ? 'assistant' : 'user',
      text: contentText(rest.filter(({ type }) => type === 'text')),
      ...(calls.length > 0 && {
        calls: calls.map(({ id, name, input }) => ({ id: textOf(id), name: textOf(name), args: input })),
      }),
      ...(files.length > 0 && { files }),
    })
  return found
}
