import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Block, DiscoverOptions, HostError } from '../../index.ts'
import { believePlatform, imagesDirectory } from '../../internal.ts'
import { agentReference, openModel } from '../../models.ts'
import { wrapPlain } from '../terminal/painted-lines.ts'
import { createKeyboard } from '../terminal/keyboard.ts'
import type { Keyboard } from '../terminal/keyboard.ts'
import type { ShellStreams } from '../shell/open-shell.ts'
import { connectInBackground, ServerUses } from '../shell/server-uses.ts'
import { createSession } from '../shell/session.ts'
import type { RunnerSession, ShellRunner } from '../shell/session.ts'
import { commandStreams, createPersonCallbacks, followConfig } from '../shell/terminal-parts.ts'
import { createChatSession } from './chat-session.ts'
import type { ChatSession } from './chat-session.ts'
import { createChatTerminal } from './chat-terminal.ts'
import type { ChatTerminal } from './chat-terminal.ts'
import { drawStart, drawLastTurn } from './chat-start.ts'
import { maskSecrets, openAgent } from './open-agent.ts'
import type { AgentChoice, OpenedAgent } from './open-agent.ts'
import type { OwnCommandContext } from './own-commands.ts'
import { readPrompts } from './read-prompts.ts'

/** What the command line passes to a chat. */
export interface ChatOptions extends Pick<
  AgentChoice,
  'agent' | 'model' | 'resume' | 'isDemo' | 'openDemo' | 'closeOnEnd'
> {
  readonly streams: ShellStreams
  readonly discover: DiscoverOptions
  readonly isQuiet: boolean
  /** Ends the chat from outside. */
  readonly signal: AbortSignal
  /** Creates the runner of commands, which use the chat's host. */
  readonly createRunner: (session: RunnerSession) => ShellRunner
  /** The exit code for an error. */
  readonly codeOf: (error: unknown) => number
  /** The address of the page that shows views of calls, if it runs now. */
  readonly findPage: () => Promise<string | undefined>
  /** A conversation as Markdown. */
  readonly toMarkdown: OwnCommandContext['toMarkdown']
  /** Saves binary blocks to new files in a folder; returns their paths. */
  readonly saveBlobs: (blocks: readonly Block[], folder: string, name: string) => readonly string[]
}

/** Runs a chat for a person at a terminal until they leave. */
export async function openChat(options: ChatOptions): Promise<number> {
  const { streams, signal } = options
  const closed = new AbortController()
  let chat: ChatSession | undefined
  const keyboard = createKeyboard({
    stdin: streams.stdin,
    // Until the session exists, Ctrl-C ends the process as usual.
    onCancel: () => (chat ? chat.cancel() : process.kill(process.pid, 'SIGINT')),
    // Ctrl-D stops what runs; the line editor then receives the same key and ends the chat.
    onLeave: () => chat?.cancel(),
    onEnd: () => closed.abort(),
    keepsPending: true,
    onAhead: (pending) => chat?.onAhead(pending),
  })
  try {
    const here = resolve(options.discover.cwd ?? '.')
    const terminal = createChatTerminal({
      streams,
      keyboard,
      isQuiet: options.isQuiet,
      cwd: here,
      // As Ctrl-C does elsewhere in a turn.
      onCancelled: () => chat?.cancel(),
    })
    const { notify } = terminal.screen
    const uses = new ServerUses()
    let declined: HostError | undefined
    const opened = await openAgent({
      ...options,
      async offerDemo(why) {
        const isWanted = await offerDemo(why, terminal)
        if (!isWanted) declined = why
        return isWanted
      },
      onQuestion(event) {
        if (event.type === 'question.answered' && event.by === 'elsewhere')
          notify('The question was answered in another terminal.')
      },
      onRejected: ({ server, reason }) => notify(`"${server}" may not use the model now: ${reason}`),
      callbacks: (parts) =>
        createPersonCallbacks({
          ...terminal,
          ...parts,
          streams,
          uses,
          conversation: 'yes, in this conversation',
        }),
    }).catch((error: unknown) => {
      if (error !== declined) throw error
    })
    // The person has read why.
    if (!opened) return options.codeOf(declined)
    const ends = AbortSignal.any([signal, closed.signal])
    const session = await openSession({ options, opened, terminal, keyboard, uses, here })
    chat = session.chat
    const { cancel } = chat
    ends.addEventListener('abort', () => cancel(), { once: true })
    if (!opened.isDemo)
      await followConfig(
        opened.host,
        { discover: { ...options.discover, cwd: opened.cwd }, signal: ends },
        terminal.screen,
      )
    // Connects in the background, while the person reads the first lines.
    connectInBackground(opened.host).catch(() => undefined)
    await opened.host.ready({ from: 'disk' }).catch(() => undefined)
    showStart(opened, terminal)
    await readPrompts({ ...session, opened, terminal, platform: options.discover.platform, signal: ends })
    return 0
  } finally {
    closed.abort()
    keyboard[Symbol.dispose]()
  }
}

/** Without a model: says what is missing and offers to see the chat with a model that needs nothing. */
async function offerDemo(why: HostError, { screen, questions, print }: ChatTerminal): Promise<boolean> {
  const { width = 80 } = screen.output.notes
  // Commands stay as they are typed outside: there is no chat yet.
  print([why.message, why.hint ?? ''].flatMap((text) => wrapPlain(text, width)))
  const answer = await questions.ask({ server: 'demo', isOfEntry: true }, ({ prompts }) =>
    prompts.confirm({ message: 'Look around with the demo model now?', initial: true }),
  )
  return answer !== 'refused' && !answer.cancelled && answer.value
}

interface SessionParts {
  readonly options: ChatOptions
  readonly opened: OpenedAgent
  readonly terminal: ChatTerminal
  readonly keyboard: Keyboard
  readonly uses: ServerUses
  readonly here: string
}

export interface OpenedSession {
  readonly chat: ChatSession
  readonly runner: ShellRunner
  /** Takes the text that a command put into the next line. */
  readonly takeProposal: () => string
}

async function openSession(parts: SessionParts): Promise<OpenedSession> {
  const { options, opened, terminal, keyboard, uses, here } = parts
  const { host, agent, cwd } = opened
  const { screen, turns } = terminal
  const { output } = screen
  const runner = options.createRunner({
    host,
    conversation: agent.conversation.id,
    listen: screen.listen,
    streams: commandStreams(terminal.streams, keyboard, screen),
  })
  const shell = createSession({
    host,
    runner,
    output,
    holdTerminal: () => turns.take(),
    beginLine: (words) => uses.begin(words, host),
  })
  const { platform } = await believePlatform({ ...options.discover.platform, cwd: here })
  const folder = imagesDirectory(platform, agent.conversation.id)
  let proposal = ''
  const chat = createChatSession({
    host,
    agent,
    output,
    shell,
    runner,
    uses,
    cwd: here,
    listen: screen.listen,
    turnScreen: terminal.turnScreen((blocks, name) =>
      saveIn(folder, blocks, name, options, (text) => output.warn(text)),
    ),
    findPage: options.findPage,
    listAgents: () => host.agents(),
    referenceOf: async (file) => (opened.isDemo ? {} : agentReference(file, { cwd })),
    openModel: (ref) => openModel(ref, { ...options.discover, cwd }),
    toMarkdown: options.toMarkdown,
    mask: (text) => maskSecrets(opened, text),
    propose: (text) => void (proposal = text),
  })
  const takeProposal = (): string => {
    const taken = proposal
    proposal = ''
    return taken
  }
  return { chat, runner, takeProposal }
}

/** Images go to a folder that only this person can enter. A full disk does not end the turn. */
function saveIn(
  folder: string,
  blocks: readonly Block[],
  name: string,
  { saveBlobs }: ChatOptions,
  warn: (text: string) => void,
): readonly string[] {
  if (blocks.every(({ type }) => type === 'text')) return []
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return saveBlobs(blocks, folder, name)
  } catch (error) {
    warn(error instanceof Error ? error.message : String(error))
    return []
  }
}

function showStart(opened: OpenedAgent, { screen, print }: ChatTerminal): void {
  const { style, width = 80, path } = screen.output.notes
  print(drawStart(opened, { style, width, path }))
  if (opened.resumed) print(drawLastTurn(opened.agent.messages(), { style, width: Math.min(width, 100) }))
}
