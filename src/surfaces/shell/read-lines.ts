import type { Host } from '../../index.ts'
import { countStates } from '../facts/state-totals.ts'
import { escapeLine } from '../terminal/escape.ts'
import type { LineOptions, LineOutcome } from '../terminal/line-editor.ts'
import { createStyle, escapeStyled } from '../terminal/style.ts'
import { truncate } from '../terminal/width.ts'
import { completeLine } from './complete-line.ts'
import type { History } from './history.ts'
import type { ShellStreams } from './open-shell.ts'
import { showErrors } from './operations.ts'
import type { Questions, Turns } from './questions.ts'
import type { Screen } from './screen.ts'
import type { Session, ShellRunner } from './session.ts'

interface ReadLinesOptions {
  readonly host: Host
  readonly runner: ShellRunner
  readonly session: Session
  readonly screen: Screen
  readonly turns: Turns
  readonly questions: Questions
  readonly streams: ShellStreams
  readonly history: History
  readonly signal: AbortSignal
}

const mark = 'plugboard> '
const usualWidth = 80

/** Reads and executes one line after the other, until the person leaves or the terminal closes. */
export async function readLines(parts: ReadLinesOptions): Promise<void> {
  const { session, screen, questions, history, signal } = parts
  let wasCancelled = false
  let initial = ''
  screen.output.note('Plugboard. /help for help, Tab to complete, Ctrl-D to exit.')
  showErrors({ host: parts.host, output: screen.output })
  const { host, runner, streams } = parts
  const { commands } = runner
  while (!signal.aborted) {
    const typed = await readLine(parts, {
      mark,
      status: () => statusOf(host, streams),
      initial,
      history: history.lines(),
      complete: (line) => completeLine(line, { host, commands, propose: (words) => runner.complete(words) }),
    })
    initial = typed.kind === 'interrupted' ? typed.text : ''
    if (typed.kind === 'left') break
    if (typed.kind === 'cancelled') {
      if (typed.wasEmpty && wasCancelled) break
      wasCancelled = typed.wasEmpty
      if (wasCancelled) screen.output.note('Press Ctrl-C again to exit; Ctrl-D or /quit exits too.')
    }
    if (typed.kind !== 'line') continue
    wasCancelled = false
    history.add(typed.text)
    questions.beginLine()
    if ((await session.execute(typed.text)) === 'leave') break
  }
  if (!signal.aborted) screen.output.note('Leaving.')
  await screen.output.flush()
}

/** Holds the terminal while a line is typed, and interrupts the line when a question needs the terminal. */
export async function readLine(
  { screen, turns, signal }: Pick<ReadLinesOptions, 'screen' | 'turns' | 'signal'>,
  options: LineOptions,
): Promise<LineOutcome> {
  const turn = await turns.take()
  const reading = screen.editor.read(options)
  if (turns.isWanted) screen.editor.interrupt()
  const leave = () => screen.editor.leave()
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  const typed = await reading
  signal.removeEventListener('abort', leave)
  turn[Symbol.dispose]()
  return typed
}

/** The states of all servers, in one dim line, after what else the line says. */
export function statusOf(host: Host, { stderr, env }: ShellStreams, before = ''): string {
  const style = createStyle({ env, isTTY: true })
  return escapeStyled(style.dim(truncate(before + drawStatus(host), (stderr.columns || usualWidth) - 1)))
}

/** The states of all servers in one line. One or two servers that need attention are named. */
function drawStatus(host: Pick<Host, 'servers' | 'tools'>): string {
  const servers = host.servers()
  if (servers.length === 0) return 'no servers yet: /mcp add'
  const parts = countStates(servers).map(({ state, word, names }) => {
    const isNamed = names.length <= 2 && state !== 'ready' && state !== 'idle' && state !== 'disabled'
    return `${names.length} ${word}${isNamed ? ` (${names.map(escapeLine).join(', ')})` : ''}`
  })
  const count = host.tools().length
  return [`${count} tool${count === 1 ? '' : 's'}`, ...parts].join(' · ')
}
