import type { ArgumentProblem } from '../../model/error.ts'
import { isObject } from '../../model/json.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { didYouMean } from '../../model/near.ts'
import { readOutput } from '../tool-output.ts'
import { neutralize } from '../render/render.ts'
import type { Render } from '../render/render.ts'
import type { PromptArgument, PromptMessages } from '../view/view.ts'

/** Reads a `prompts/get` response. Every role except `assistant` becomes `user`. */
export function readPrompt(result: Json): PromptMessages {
  const { description, messages } = isObject(result) ? result : {}
  const list = Array.isArray(messages) ? (messages as readonly Json[]) : [] // isArray does not narrow a readonly union
  return {
    ...(typeof description === 'string' && { description }),
    messages: list.filter(isObject).map((message) => ({
      role: message['role'] === 'assistant' ? 'assistant' : 'user',
      blocks: readOutput({ content: message['content'] ?? [] }).blocks,
    })),
  }
}

/** Renders a prompt as one text. A single user message stands alone; otherwise each message starts with its role. */
export function renderPrompt({ messages }: PromptMessages, render: Render): string {
  const texts = messages.map(({ blocks }) => render({ blocks, failed: false }))
  if (messages.length === 1 && messages[0]?.role === 'user') return neutralize(texts.join(''))
  return neutralize(messages.map(({ role }, index) => `${role}: ${texts[index]}`).join('\n\n'))
}

/** Checks the arguments of a prompt against its listed arguments. */
export function checkPromptArguments(
  prompt: JsonObject,
  args: Readonly<Record<string, string>>,
): readonly ArgumentProblem[] {
  const declared = promptArguments(prompt)
  const missing = declared
    .filter(({ name, required }) => required && !Object.hasOwn(args, name))
    .map(({ name }) => ({ path: name, message: 'is required but missing' }))
  const names = declared.map(({ name }) => name)
  const known = new Set(names)
  const unknown = Object.keys(args)
    .filter((name) => !known.has(name))
    .map((name) => ({ path: name, message: `is unknown${didYouMean(name, names)}` }))
  return [...missing, ...unknown]
}

/** The arguments of a prompt as its server lists them. */
export function promptArguments(prompt: JsonObject): readonly PromptArgument[] {
  const list = prompt['arguments']
  if (!Array.isArray(list)) return []
  return (list as readonly Json[]).flatMap((each) => {
    // isArray does not narrow a readonly union
    if (!isObject(each) || typeof each['name'] !== 'string') return []
    const { name, description, required } = each
    return [{ name, ...(typeof description === 'string' && { description }), required: required === true }]
  })
}
