import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { createHost } from '../../index.ts'
import type { Host } from '../../index.ts'
import { createKeyboard } from '../terminal/keyboard.ts'
import { historyFile, openHistory } from './history.ts'
import type { ShellOptions } from './open-shell.ts'
import { Turns } from './questions.ts'
import type { Questions } from './questions.ts'
import { readLines } from './read-lines.ts'
import { createScreen } from './screen.ts'
import type { Screen } from './screen.ts'
import { createSession } from './session.ts'
import { createSharedDesk, notifyPending } from './shared-desk.ts'
import { ServerUses, connectInBackground } from './server-uses.ts'
import type { Session } from './session.ts'
import { commandStreams, createPersonCallbacks, followConfig, openQuestions } from './terminal-parts.ts'

/** Runs a shell for a person at a terminal, with one host and one keyboard, until they leave. */
export async function runInteractive(options: ShellOptions): Promise<number> {
  const { streams, discover, signal } = options
  const closed = new AbortController()
  let session: Session | undefined
  const keyboard = createKeyboard({
    stdin: streams.stdin,
    // Until the session exists, Ctrl-C ends the process as usual.
    onCancel: () => (session ? session.cancel() : process.kill(process.pid, 'SIGINT')),
    // Ctrl-D cancels the running command; the line editor then receives the same key and ends the shell.
    onLeave: () => session?.cancel(),
    onEnd: () => closed.abort(),
  })
  try {
    const cwd = resolve(discover.cwd ?? '.')
    const screen = createScreen({ streams, keyboard, isQuiet: options.isQuiet, cwd })
    const turns = new Turns()
    const questions = openQuestions({ streams, keyboard, screen, turns })
    const uses = new ServerUses()
    const host = await openHost(options, { screen, questions, uses })
    const runner = options.createRunner({
      host,
      conversation: `shell-${randomUUID()}`,
      listen: screen.listen,
      streams: commandStreams(streams, keyboard, screen),
    })
    session = createSession({
      host,
      runner,
      output: screen.output,
      holdTerminal: () => turns.take(),
      beginLine: (words) => uses.begin(words, host),
    })
    const ends = AbortSignal.any([signal, closed.signal])
    const { cancel } = session
    ends.addEventListener('abort', () => cancel(), { once: true })
    await followConfig(host, { discover, signal: ends }, screen)
    // Connects in the background, while the person reads the first lines.
    connectInBackground(host).catch(() => undefined)
    notifyPending(discover, screen.notify).catch(() => undefined)
    const history = openHistory(await historyFile({ ...discover.platform, cwd }), (line) => host.redact(line))
    await readLines({ host, runner, session, screen, turns, questions, streams, history, signal: ends })
    return 0
  } finally {
    closed.abort()
    keyboard[Symbol.dispose]()
  }
}

const progressDelayMs = 300

async function openHost(
  { discover, streams, closeOnEnd }: ShellOptions,
  {
    screen,
    questions,
    uses,
  }: { readonly screen: Screen; readonly questions: Questions; readonly uses: ServerUses },
): Promise<Host> {
  let host: Host | undefined
  // Only servers that must connect before the first line delay the start.
  const timer = setTimeout(() => screen.output.progress('Connecting to your servers…'), progressDelayMs)
  const redact = (text: string) => host?.redact(text) ?? text
  const callbacks = createPersonCallbacks({
    streams,
    screen,
    questions,
    uses,
    host: () => host,
    desk: (parts) => createSharedDesk(parts, { discover, redact, closeOnEnd }),
  })
  host = await createHost({
    ...discover,
    scanResults: true,
    audit: { surface: 'shell' },
    accept: 'person',
    ...callbacks,
  }).finally(() => clearTimeout(timer))
  closeOnEnd(host)
  return host
}
