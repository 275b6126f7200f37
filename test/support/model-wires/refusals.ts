import type { Conversation, ReceivedMessage } from './wire-format.ts'

/**
 * Why a real provider would refuse this request, if it would: calls without results, results without calls, empty
 * messages, tools of one name, names that no provider accepts.
 */
export function refusalOf({ messages, tools }: Conversation): string | undefined {
  const names = tools.map(({ name }) => name)
  const unusable = names.find((name) => !/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/.test(name))
  if (unusable !== undefined) return `The name of the tool ${JSON.stringify(unusable)} is not accepted.`
  if (new Set(names).size < names.length) return 'Two tools have the same name.'
  const untyped = tools.find(({ schema }) => (schema as { type?: unknown } | undefined)?.type !== 'object')
  if (untyped && !isEmptySchema(untyped.schema)) return `The schema of ${untyped.name} is no object.`
  if (messages.length === 0) return 'There are no messages.'
  for (const [index, message] of messages.entries()) {
    const problem = problemOf(message, messages[index - 1], messages[index + 1])
    if (problem) return `messages[${index}]: ${problem}`
  }
  return undefined
}

/** Google leaves out the schema of a tool without parameters. */
function isEmptySchema(schema: unknown): boolean {
  return schema === undefined || schema === null
}

function problemOf(
  message: ReceivedMessage,
  before: ReceivedMessage | undefined,
  after: ReceivedMessage | undefined,
): string | undefined {
  const { role, text, calls = [], results = [], files = [] } = message
  if (role === 'tool') {
    const called = (before?.calls ?? []).map(({ id }) => id)
    const stray = results.find(({ id }) => !called.includes(id))
    return stray && `The result ${stray.id} has no call before it.`
  }
  if (!text && calls.length === 0 && files.length === 0) return 'It is empty.'
  const answered = after?.role === 'tool' ? (after.results ?? []).map(({ id }) => id) : []
  const open = calls.find(({ id }) => !answered.includes(id))
  return open && `The call ${open.id} has no result after it.`
}
