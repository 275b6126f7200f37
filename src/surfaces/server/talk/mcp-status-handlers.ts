import { isHostError } from '../../../index.ts'
import type { Host, ServerStatus, Status } from '../../../index.ts'
import { coarseState } from '../../../internal.ts'
import type { ShortenPath } from '../../facts/place-facts.ts'
import { failureOf } from '../../facts/state-facts.ts'
import type { Handlers } from '../handler.ts'
import { PlainFault } from '../request-fault.ts'
import type { ServeContext } from '../serve-context.ts'
import { countTools, switchServer } from './conversation-switches.ts'
import { shortenPath } from './shown-path.ts'
import { talkOf } from './talk.ts'

/** The status of a conversation's servers in the form of another host's handoff, for front ends that read it. */
export const mcpStatusHandlers = {
  'GET /conversations/:conversation/mcp': (context, { params }) =>
    orUnavailable(() => readStatus(context, params.conversation)),

  'PUT /conversations/:conversation/mcp/:server': (context, { params, body }) =>
    orUnavailable(async () => {
      const talk = talkOf(context)
      const conversation = await talk.find(params.conversation)
      await switchServer(talk, context, conversation, { server: params.server, on: body.enabled })
      return readStatus(context, params.conversation)
    }),
} satisfies Partial<Handlers>

/** A conversation that is not known has no folder, and so no servers. */
async function readStatus(context: ServeContext, id: string) {
  const talk = talkOf(context)
  const { conversations } = await talk.kept()
  const conversation = await conversations.get(id)
  if (!conversation) return { conversationId: id, cwd: null, servers: [] }
  const { cwd } = conversation
  const { host, release } = await talk.hosts.take(cwd)
  try {
    await Promise.all([host.ready({ from: 'disk' }), context.desk.memory.recall()])
    const switches = context.desk.memory.toggles.of(id)
    const tools = countTools(host)
    const shorten = shortenPath({ cwd, home: context.home })
    const servers = host.servers().map((each) => {
      const isOff = switches.get(each.name) === false
      return toStatus(each, { host, shorten, isOff, tools: tools.get(each.name) ?? 0 })
    })
    return { conversationId: id, cwd, servers }
  } finally {
    release()
  }
}

interface StatusContext {
  readonly host: Host
  readonly shorten: ShortenPath
  /** Switched off in this conversation. */
  readonly isOff: boolean
  readonly tools: number
}

function toStatus({ name, status, server }: ServerStatus, { host, shorten, isOff, tools }: StatusContext) {
  const error = isOff ? undefined : errorOf(name, status)
  const isConnected = !isOff && status.state === 'ready' && !status.away
  return {
    id: name,
    state: isOff ? ('disconnected' as const) : coarseState(status),
    ...(error !== undefined && { error: host.redact(error) }),
    // The number of its tools that a turn can use now.
    toolCount: isConnected ? tools : 0,
    // As a person in the folder of the conversation writes it: `.mcp.json`, `~/.config/plugboard/mcp.json`.
    configSource: shorten(server.origin.file),
  }
}

function errorOf(name: string, status: Status): string | undefined {
  if (status.state === 'untrusted')
    return `"${name}" ${status.reason === 'trust-changed' ? 'has changed since it was trusted' : 'is not trusted'}. Look at it and decide: plugboard trust ${name}`
  const failure = failureOf({ name, status })
  return failure && [failure.message, failure.hint].filter((text) => text !== '').join(' ')
}

/** Without a host there is no such service; the contract has a text for that. */
async function orUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isHostError(error, 'host.closed')) throw new PlainFault(503, { error: 'MCP service not available' })
    throw error
  }
}
