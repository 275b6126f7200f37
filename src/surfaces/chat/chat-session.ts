import type { Agent, Prompt } from '../../agent.ts'
import { blockTypeOf, isBlock } from '../../index.ts'
import type { Host, PromptMessages } from '../../index.ts'
import { foundSentence, promptMark } from '../../internal.ts'
import type { ServerUses } from '../shell/server-uses.ts'
import { toIntent } from '../shell/intent.ts'
import type { Screen } from '../shell/screen.ts'
import type { Session, ShellRunner } from '../shell/session.ts'
import { splitLine } from '../shell/words.ts'
import { escapeLine } from '../terminal/escape.ts'
import { attachFiles } from './attach-files.ts'
import { readChatLine } from './chat-line.ts'
import { MissingServers } from './missing-servers.ts'
import { OfferedNames } from './offered-names.ts'
import { canPropose, ownCommands } from './own-commands.ts'
import type { OwnCommandContext } from './own-commands.ts'
import { createTurnView } from './turn-view.ts'
import type { TurnScreen, TurnView } from './turn-view.ts'

export interface ChatSession {
  /** Executes a line; `leave` ends the chat. */
  execute(line: string): Promise<'stay' | 'leave'>
  /** Ctrl-C: stops the turn or the command that runs. */
  cancel(this: void): void
  /** Shows what is typed while a turn runs. */
  onAhead(this: void, pending: string): void
  /** Whether a turn was stopped just now: Ctrl-C again leaves. */
  readonly wasStopped: boolean
}

export interface ChatSessionOptions extends OwnCommandContext {
  readonly host: Host
  readonly agent: Agent
  /** Executes lines of the shell. */
  readonly shell: Session
  readonly runner: ShellRunner
  readonly uses: ServerUses
  readonly turnScreen: TurnScreen
  /** The address of the page, if it runs now. */
  readonly findPage: () => Promise<string | undefined>
  /** Sends the host's events to a turn. */
  readonly listen: Screen['listen']
}

export function createChatSession(options: ChatSessionOptions): ChatSession {
  const { host, agent, shell, runner, output, uses, turnScreen, findPage, listen, propose } = options
  let turn: AbortController | undefined
  let view: TurnView | undefined
  let wasStopped = false

  const offers = new OfferedNames()
  const missing = new MissingServers()
  const sendPrompt = async (prompt: Prompt): Promise<{ readonly isConflict: boolean }> => {
    turn = new AbortController()
    const { signal } = turn
    // The model may use every server that it sees, so each may ask for its inputs.
    const serverUse = await uses.begin(['tools'], host)
    const drawn = createTurnView(turnScreen, { page: await findPage() })
    let isConflict = false
    view = drawn
    const listening = listen({ onEvent: drawn.onHostEvent, mute: () => undefined })
    try {
      for await (const event of agent.send(prompt, { signal })) {
        if (event.type === 'tools.offered' && !offers.isNew(event)) continue
        if (event.type === 'turn.finished') isConflict = event.code === 'store.conflict'
        drawn.onEvent(event)
        if (event.type === 'step.started') for (const sentence of missing.take(host)) drawn.warn(sentence)
      }
    } finally {
      view = undefined
      listening[Symbol.dispose]()
      drawn[Symbol.dispose]()
      serverUse[Symbol.dispose]()
      turn = undefined
    }
    return { isConflict }
  }
  const sendText = async (text: string): Promise<void> => {
    const { prompt, attached, problems } = attachFiles(text, agent.conversation.cwd)
    for (const problem of problems) output.warn(problem)
    if (attached.length > 0) output.note(`Attached: ${attached.map((name) => escapeLine(name)).join(', ')}`)
    const { isConflict } = await sendPrompt(prompt)
    if (isConflict && canPropose(text)) propose(text)
  }
  const sendServerPrompt = async (name: string, rest: string): Promise<void> => {
    turn = new AbortController()
    const found = await host.command(name, readPairs(rest), { signal: turn.signal })
    const text = drawPrompt(found)
    output.note(`${escapeLine(name)} sends:`)
    output.show(
      text
        .split('\n')
        .map((line) => `  | ${line}`)
        .join('\n'),
    )
    if (found.findings) output.warn(foundSentence(`The prompt ${name}`, found.findings))
    await sendPrompt(`${promptMark(found)}${text}`)
  }
  const executeShell = async (line: string): Promise<'stay' | 'leave'> => {
    const words = splitLine(line)
    if (/^(?:chat|shell)$/.test((words[0] === '/mcp' ? words[1] : words[0]) ?? '')) {
      output.error('This is a chat; every command of the shell works in it: /help')
      return 'stay'
    }
    const intent = toIntent(words, { commands: runner.commands, host })
    if (intent.kind !== 'unknown') return (await shell.execute(line)) === 'leave' ? 'leave' : 'stay'
    const hint = intent.hint.replace('/help, or tools', '/help').replace(/\w$/, '$&.')
    output.error(
      `"/${escapeLine(intent.word)}" is not a command. ${hint} With a blank in front it goes to the model.`,
    )
    return 'stay'
  }
  return {
    get wasStopped() {
      return wasStopped
    },
    async execute(typed) {
      const line = readChatLine(typed)
      wasStopped = false
      try {
        switch (line.kind) {
          case 'nothing':
            break
          case 'prompt':
            await sendText(line.text)
            break
          case 'server-prompt':
            await sendServerPrompt(line.name, line.rest)
            break
          case 'shell':
            return await executeShell(line.line)
          case 'own':
            if (line.name === 'leave') return 'leave'
            await ownCommands[line.name](options, line.rest)
            break
          default:
            line satisfies never
        }
      } catch (error) {
        output.fault(host.redact(runner.drawFailure(error)))
      } finally {
        turn = undefined
      }
      await output.flush()
      return 'stay'
    },
    onAhead: (pending) => view?.setTyped(pending),
    cancel() {
      if (turn) wasStopped = true
      turn?.abort()
      shell.cancel()
    },
  }
}

/** `key=value` words; a prompt takes texts only. */
function readPairs(rest: string): Readonly<Record<string, string>> {
  const pairs = splitLine(rest).map((word) => {
    const at = word.indexOf('=')
    return at < 1 ? ([word, ''] as const) : ([word.slice(0, at), word.slice(at + 1)] as const)
  })
  return Object.fromEntries(pairs)
}

/** The messages of a prompt as one text; several are labelled with their roles. */
function drawPrompt({ messages }: PromptMessages): string {
  const texts = messages.map(({ role, blocks }) => {
    const text = blocks
      .map((block) =>
        isBlock(block, 'text') ? block.text : `[${blockTypeOf(block)}] ${JSON.stringify(block)}`,
      )
      .join('\n')
    return messages.length === 1 ? text : `${role}: ${text}`
  })
  return texts.join('\n\n')
}
