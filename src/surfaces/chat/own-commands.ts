import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Agent, AgentModel } from '../../agent.ts'
import { HostError } from '../../index.ts'
import type { Agent as AgentFile, Host } from '../../index.ts'
import { nearestNames } from '../../internal.ts'
import type { AgentReference } from '../../models.ts'
import type { Conversation, StoredMessage } from '../../store.ts'
import type { Output } from '../terminal/terminal-output.ts'
import { escapeLine } from '../terminal/escape.ts'
import { wrap } from '../terminal/width.ts'
import { splitLine } from '../shell/words.ts'
import { drawChatHelp } from './chat-help.ts'
import type { OwnCommandName } from './chat-line.ts'
import { drawCount, drawUsage } from './draw-amounts.ts'
import { spokenText } from './spoken-text.ts'

export interface OwnCommandContext {
  readonly host: Host
  readonly agent: Agent
  readonly output: Output
  /** Where a relative file of `/export` is. */
  readonly cwd: string
  listAgents(this: void): Promise<readonly AgentFile[]>
  openModel(this: void, ref: string): Promise<AgentModel>
  /** The model that an agent's file names. */
  referenceOf(this: void, file: AgentFile): Promise<AgentReference>
  /** A conversation as Markdown. */
  toMarkdown(this: void, conversation: Conversation, messages: readonly StoredMessage[]): string
  /** Masks the secrets of servers and models. */
  mask(this: void, text: string): string
  /** Puts a text into the next line. */
  propose(this: void, text: string): void
}

type OwnCommand = (context: OwnCommandContext, rest: string) => Promise<void> | void

/** The commands that only a chat has, except `/leave`. */
export const ownCommands: Readonly<Record<Exclude<OwnCommandName, 'leave'>, OwnCommand>> = {
  help: ({ output }, about) => output.text(({ style, width }) => drawChatHelp(style, width, about)),
  switch: switchServer,
  agent: useAgent,
  model: useModel,
  cost: showCost,
  undo,
  export: exportConversation,
}

async function switchServer({ host, agent, output }: OwnCommandContext, rest: string): Promise<void> {
  const [name, state, ...more] = splitLine(rest)
  if (name === undefined || !(state === 'on' || state === 'off') || more.length > 0)
    throw usage('Write: /switch NAME on, or /switch NAME off', serversHint(host))
  const names = host.servers().map((server) => server.name)
  if (!names.includes(name)) {
    const near = nearestNames(name, names)
    throw usage(
      `There is no server "${name}" here.`,
      near.length > 0 ? `Did you mean ${near.join(' or ')}?` : serversHint(host),
    )
  }
  const { tokens } = await agent.switchServer(name, state === 'on')
  const weight = Math.abs(tokens)
  const effect =
    weight === 0 ? '' : `: about ${drawCount(weight)} tokens ${tokens > 0 ? 'less' : 'more'} for each step`
  output.note(`"${escapeLine(name)}" is ${state} in this conversation, from the next step on${effect}.`)
}

function serversHint(host: Host): string {
  const names = host.servers().map(({ name }) => name)
  return names.length === 0 ? 'There are no servers here: /mcp add' : `Servers: ${names.join(', ')}`
}

async function useAgent(context: OwnCommandContext, rest: string): Promise<void> {
  const { agent, output } = context
  const [name] = splitLine(rest)
  const agents = await context.listAgents()
  if (name === undefined) return showAgents(agents, context)
  if (name === 'none' || name === '-') {
    await agent.use({ agent: null })
    return output.note('No agent from the next turn on: the model sees all tools.')
  }
  const file = agents.find((each) => each.name === name)
  if (!file) {
    const near = nearestNames(
      name,
      agents.map((each) => each.name),
    )
    throw usage(
      `There is no agent "${name}" here.`,
      near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See what there is: /agent',
    )
  }
  const { ref, problem } = await context.referenceOf(file)
  const model = ref === undefined || ref === agent.model.name ? undefined : await context.openModel(ref)
  await agent.use({ agent: name, ...(model && { model }) })
  const which = model ? `, with the model ${escapeLine(model.name)},` : ''
  output.note(`The agent is "${escapeLine(name)}"${which} from the next turn on.`)
  if (problem !== undefined) output.warn(problem.replace('--model ', '/model '))
}

function showAgents(agents: readonly AgentFile[], { agent, output }: OwnCommandContext): void {
  if (agents.length === 0) return output.note('No agent is defined for this folder.')
  const current = agent.conversation.agent
  output.text(({ style, width = 80 }) =>
    agents
      .flatMap(({ name, description = '' }) => {
        const mark = name === current ? style.green('●') : ' '
        const lines = description === '' ? [] : wrap(escapeLine(description), width - 4)
        return [`${mark} ${style.bold(escapeLine(name))}`, ...lines.map((line) => `    ${style.dim(line)}`)]
      })
      .join('\n'),
  )
  output.note(current === undefined ? 'No agent is in use. Take one: /agent NAME' : 'Take none: /agent none')
}

async function useModel({ agent, output, openModel }: OwnCommandContext, rest: string): Promise<void> {
  const [ref] = splitLine(rest)
  if (ref === undefined) {
    const { name, window } = agent.model
    const room = window === undefined ? '' : `, window ${drawCount(window)} tokens`
    return output.note(
      `The model is ${escapeLine(name)}${room}. Take another: /model ENDPOINT/MODEL. See all: /models`,
    )
  }
  const model = await openModel(ref)
  await agent.use({ model })
  output.note(`The model is ${escapeLine(model.name)} from the next turn on.`)
}

function showCost({ agent, output }: OwnCommandContext): void {
  const { count, tokens, mode } = agent.tools()
  const { window } = agent.model
  const share =
    window === undefined || window === 0 ? '' : `, ${Math.round((tokens / window) * 100)} % of the window`
  output.note(`Since this chat began: ${drawUsage(agent.usage())}.`)
  output.note(
    `Tools: ${count}${mode === 'search' ? ' (by search)' : ''}, about ${drawCount(tokens)} tokens in each step${share}.`,
  )
}

async function undo({ agent, output, propose }: OwnCommandContext): Promise<void> {
  const last = agent.messages().findLast(({ role }) => role === 'user')
  const count = await agent.undo()
  if (count === 0) return output.note('There is nothing to undo.')
  output.note(`Removed your last text and its answer (${count} messages). Calls that ran are not undone.`)
  const text = last ? spokenText(last) : ''
  if (canPropose(text)) propose(text)
}

/** Whether a text can be put into the next line. */
export function canPropose(text: string): boolean {
  return text !== '' && !text.includes('\n') && escapeLine(text) === text
}

function exportConversation(context: OwnCommandContext, rest: string): void {
  const { agent, output, cwd, toMarkdown, mask } = context
  const { conversation } = agent
  const [given] = splitLine(rest)
  const name = given ?? `conversation-${conversation.id.slice(0, 8)}.md`
  const file = resolve(cwd, name)
  try {
    // A new file for this person alone: a conversation can hold private results.
    writeFileSync(file, `${mask(toMarkdown(conversation, agent.messages()))}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EEXIST'
    if (isTaken) throw usage(`${name} already exists; it was not changed.`, 'Name another file: /export FILE')
    throw usage(`${name} cannot be written: ${error instanceof Error ? error.message : String(error)}`)
  }
  output.note(`Wrote the conversation to ${escapeLine(name)}.`)
}

function usage(message: string, hint?: string): HostError {
  return new HostError('usage', {}, message, hint === undefined ? {} : { hint })
}
