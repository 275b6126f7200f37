import type { Host, Provider, Tool } from '../../../index.ts'
import type { Conversation } from '../../../store.ts'
import type { ConversationServers, SwitchRow } from '../../api/chat-routes.ts'
import { describeState } from '../../facts/state-facts.ts'
import { weighTool } from '../../facts/tool-tokens.ts'
import type { ServeContext } from '../serve-context.ts'
import type { Talk } from './talk.ts'
import { roomOf } from './talk-model.ts'

/** Beyond these an agent offers tools by search: the defaults of `AgentLimits`. */
const searchAbove = { tools: 100, share: 0.2 } as const

/** The servers of a conversation with what each adds to every request. None is started. */
export async function describeSwitches(
  talk: Talk,
  context: ServeContext,
  conversation: Conversation,
): Promise<ConversationServers> {
  const { id, cwd, agent } = conversation
  const live = await talk.live(id)
  const { window, provider } = live
    ? { window: live.agent.model.window ?? usualWindow, provider: live.agent.model.provider ?? 'openai' }
    : await roomOf(context, conversation)
  const { host, release } = await talk.hosts.take(cwd)
  try {
    await Promise.all([host.ready({ from: 'disk' }), context.desk.memory.recall()])
    const switches = context.desk.memory.toggles.of(id)
    using view = await host.scope(agent === undefined ? {} : { agent })
    const offered = view.tools()
    const known = [...host.tools(), ...host.hiddenTools()]
    const servers = host.servers().map(({ name, status, server }): SwitchRow => {
      const own = offered.filter((tool) => tool.server === name)
      const all = new Set(known.filter((tool) => tool.server === name).map(({ ref }) => ref))
      return {
        server: name,
        isOn: switches.get(name) ?? true,
        state: describeState({ name, status, server }),
        tools: own.length,
        hidden: Math.max(0, all.size - own.length),
        tokens: weigh(own, provider),
      }
    })
    const used = servers.filter(({ isOn, state }) => isOn && state.state !== 'disabled')
    const tokens = sum(used.map((each) => each.tokens))
    const count = sum(used.map((each) => each.tools))
    const isMuch = count > searchAbove.tools || tokens > searchAbove.share * window
    return { servers, tokens, window, mode: live?.agent.tools().mode ?? (isMuch ? 'search' : 'all') }
  } finally {
    release()
  }
}

const usualWindow = 128_000

/** Switches a server in a conversation, from the next step on. */
export async function switchServer(
  talk: Talk,
  context: ServeContext,
  conversation: Conversation,
  { server, on }: { readonly server: string; readonly on: boolean },
): Promise<void> {
  const { host, release } = await talk.hosts.take(conversation.cwd)
  try {
    await host.switchServer(conversation.id, server, on)
    context.feed.publish({ type: 'servers.switched', conversation: conversation.id })
  } finally {
    release()
  }
}

/** A tool is weighed once per dialect: there may be thousands, and switches move often. */
const weights = new WeakMap<Tool, Map<Provider, number>>()

function weigh(tools: readonly Tool[], provider: Provider): number {
  return sum(tools.map((tool) => weightOf(tool, provider)))
}

function weightOf(tool: Tool, provider: Provider): number {
  const known = weights.get(tool) ?? new Map<Provider, number>()
  weights.set(tool, known)
  const before = known.get(provider)
  if (before !== undefined) return before
  const weight = weighTool(tool, provider)
  const tokens = typeof weight === 'number' ? weight : 0
  known.set(provider, tokens)
  return tokens
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0)
}

/** The tools that a host knows of each server, for answers that only count them. */
export function countTools(host: Host): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { server } of host.tools()) counts.set(server, (counts.get(server) ?? 0) + 1)
  return counts
}
