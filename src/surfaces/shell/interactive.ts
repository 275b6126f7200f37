import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import { watchConfig } from '../../config.ts'
import { createHost } from '../../index.ts'
import type { Host } from '../../index.ts'
import { forwardTo } from '../terminal/forward.ts'
import { createKeyboard } from '../terminal/keyboard.ts'
import type { Keyboard, Keys } from '../terminal/keyboard.ts'
import { createStyle } from '../terminal/style.ts'
import { createPrompts } from '../terminal/terminal-prompts.ts'
import { createElicit } from './elicit.ts'
import { createFollower } from './follow.ts'
import { historyFile, openHistory } from './history.ts'
import type { ShellOptions, ShellStreams } from './open-shell.ts'
import { createAnswers, createApprove, createSample } from './person-callbacks.ts'
import { Turns, createQuestions } from './questions.ts'
import type { Questions } from './questions.ts'
import { readLines } from './read-lines.ts'
import { createScreen } from './screen.ts'
import type { Screen } from './screen.ts'
import { createSession } from './session.ts'
import { ServerUses, connectInBackground } from './server-uses.ts'
import type { Session } from './session.ts'

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
    const history = openHistory(await historyFile(cwd))
    await readLines({ host, runner, session, screen, turns, questions, streams, history, signal: ends })
    return 0
  } finally {
    closed.abort()
    keyboard[Symbol.dispose]()
  }
}

interface QuestionParts {
  readonly streams: ShellStreams
  readonly keyboard: Keyboard
  readonly screen: Screen
  readonly turns: Turns
}

function openQuestions({ streams, keyboard, screen, turns }: QuestionParts): Questions {
  return createQuestions({
    turns,
    notify: screen.notify,
    show: (text) => screen.output.show(text),
    onWanted: () => screen.editor.interrupt(),
    onAsking: screen.setAsking,
    promptsFor(signal) {
      const keys = keyboard.open()
      const { stderr: stdout, env } = streams
      const prompts = createPrompts({ stdin: keys, stdout, signal, isPlain: env['TERM'] === 'dumb' })
      return { ...prompts, [Symbol.dispose]: () => void keys.destroy() }
    },
  })
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
  const style = () => createStyle({ env: streams.env, isTTY: true })
  const placeOf = (server: string): string => {
    const found = host?.discovery.servers.find(({ name }) => name === server)
    return found ? screen.output.notes.path(found.origin.file) : 'a file that is no longer read'
  }
  // Only servers that must connect before the first line delay the start.
  const timer = setTimeout(() => screen.output.progress('Connecting to your servers…'), progressDelayMs)
  host = await createHost({
    ...discover,
    elicit: createElicit({ questions, style, placeOf }),
    sample: createSample(questions),
    approve: createApprove(questions),
    answers: createAnswers(questions, uses),
    on: screen.onEvent,
  }).finally(() => clearTimeout(timer))
  closeOnEnd(host)
  return host
}

/** Creates the streams of one command. Its keys are destroyed with it, so unread input cannot answer a later question. */
function commandStreams({ stdout, stderr }: ShellStreams, keyboard: Keyboard, { whenFree }: Screen) {
  let previous: Keys | undefined
  return () => {
    previous?.destroy()
    previous = keyboard.open()
    return {
      stdin: previous as unknown as NodeJS.ReadStream, // the part that prompts use
      stdout: forwardTo(stdout, whenFree) as NodeJS.WriteStream, // the part that commands use
      stderr: forwardTo(stderr, whenFree) as NodeJS.WriteStream,
    }
  }
}

/** Follows edits of the config files. If they cannot be watched, /mcp reload still reads them again. */
async function followConfig(
  host: Host,
  { discover, signal }: Pick<ShellOptions, 'discover' | 'signal'>,
  screen: Screen,
): Promise<void> {
  const onChange = createFollower({ host, notify: screen.notify })
  await watchConfig({ ...discover, onChange, signal }).catch(() => undefined)
}
