import type { ResultFacts, RouteAnswer } from '../../../../src/client.ts'
import { isObject } from '../../../../src/model/json.ts'

type Messages = RouteAnswer<'POST /api/prompts/:ref'>['messages']
type Block = Messages[number]['blocks'][number]

/** The text of a prompt as one message of a person: what an assistant would say is marked as such. */
export function promptText(messages: Messages): string {
  return messages
    .map(({ role, blocks }) => {
      const text = blocks.map((block) => textOf(block) ?? `(${block.type})`).join('\n')
      return role === 'assistant' ? `assistant: ${text}` : text
    })
    .join('\n\n')
}

/** A block of a prompt as one of a result, so that both are drawn alike. */
export function toShownBlock(block: Block): ResultFacts['blocks'][number] {
  const resource = isObject(block['resource']) ? block['resource'] : {}
  const texts = {
    mimeType: block['mimeType'] ?? resource['mimeType'],
    data: block['data'] ?? resource['blob'],
    uri: block['uri'] ?? resource['uri'],
    name: block['title'] ?? block['name'],
    text: textOf(block),
  }
  const given = Object.entries(texts).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  return { type: block.type, ...Object.fromEntries(given) }
}

function textOf(block: Block): string | undefined {
  const inside = isObject(block['resource']) ? block['resource']['text'] : undefined
  const text = block['text'] ?? inside
  return typeof text === 'string' ? text : undefined
}
