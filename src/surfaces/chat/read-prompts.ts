import type { Platform } from '../../index.ts'
import { lineEndSign } from '../terminal/line-editor.ts'
import { completeLine } from '../shell/complete-line.ts'
import { historyFile, openHistory } from '../shell/history.ts'
import { readLine, statusOf } from '../shell/read-lines.ts'
import { listModels } from '../../models.ts'
import type { ChatTerminal } from './chat-terminal.ts'
import { completeChat } from './complete-chat.ts'
import type { ChatCompletion } from './complete-chat.ts'
import { maskSecrets } from './open-agent.ts'
import type { OpenedAgent } from './open-agent.ts'
import type { OpenedSession } from './open-chat.ts'

interface ReadPromptsOptions extends OpenedSession {
  readonly opened: OpenedAgent
  readonly terminal: ChatTerminal
  readonly platform: Partial<Platform> | undefined
  readonly signal: AbortSignal
}

const mark = '› '
/** Ctrl-C twice within this time leaves. */
const twiceMs = 1000

/** Reads and executes one line after the other, until the person leaves or the terminal closes. */
export async function readPrompts(parts: ReadPromptsOptions): Promise<void> {
  const { chat, takeProposal, opened, terminal, signal } = parts
  const { screen, questions, streams } = terminal
  const { host, agent } = opened
  const history = openHistory(
    await historyFile({ ...parts.platform, cwd: opened.cwd }, 'chat-history'),
    (line) => maskSecrets(opened, line),
  )
  let initial = ''
  let cancelledAt = -Infinity
  while (!signal.aborted) {
    const typed = await readLine(
      { ...terminal, signal },
      {
        mark,
        isMultiline: true,
        status: () => statusOf(host, streams, `${agent.model.name} · `),
        initial,
        history: history.lines(),
        complete: (line) => completeChat(line, completionOf(parts)),
      },
    )
    initial = typed.kind === 'interrupted' ? typed.text : ''
    if (typed.kind === 'left') break
    if (typed.kind === 'cancelled') {
      if (typed.wasEmpty && performance.now() - cancelledAt < twiceMs) break
      cancelledAt = performance.now()
      if (typed.wasEmpty) screen.output.note('Press Ctrl-C again to leave; Ctrl-D or /leave leaves too.')
    }
    if (typed.kind !== 'line') continue
    history.add(typed.text.replaceAll('\n', lineEndSign))
    questions.beginLine()
    if ((await chat.execute(typed.text)) === 'leave') break
    if (chat.wasStopped) cancelledAt = performance.now()
    initial = takeProposal()
  }
  if (!signal.aborted) screen.output.note(await leavingNote(opened))
  await screen.output.flush()
}

async function leavingNote({ agent, isKept }: OpenedAgent): Promise<string> {
  const { id, length } = agent.conversation
  const canGoOn = length > 0 && (await isKept())
  return canGoOn ? `Left. Go on with it: plugboard chat --continue ${id.slice(0, 8)}` : 'Left.'
}

function completionOf({ opened, runner }: ReadPromptsOptions): ChatCompletion {
  const { host, cwd } = opened
  const { commands } = runner
  return {
    cwd,
    servers: () => host.servers().map(({ name }) => name),
    agents: async () => (await host.agents()).map(({ name }) => name),
    models: () => modelNames(cwd),
    prompts: () => host.commands().map(({ name }) => name),
    shell: (line) => completeLine(line, { host, commands, propose: (words) => runner.complete(words) }),
  }
}

const modelsMs = 1500

async function modelNames(cwd: string): Promise<readonly string[]> {
  const { endpoints } = await listModels({ cwd, timeoutMs: modelsMs })
  return endpoints.flatMap(({ models }) => models.map(({ ref }) => ref))
}
