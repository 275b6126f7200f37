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
import type { ShellOptions, ShellStreams } from './open-shell.ts'
import { createAnswers, createApprove, createSample } from './person-callbacks.ts'
import { Turns, createQuestions } from './questions.ts'
import type { Questions } from './questions.ts'
import { readLines } from './read-lines.ts'
import { createScreen } from './screen.ts'
import type { Screen } from './screen.ts'
import { createSession } from './session.ts'
import type { Session } from './session.ts'

/** A shell for a person at a terminal: one host, one keyboard, and lines until they have enough. */
export async function runInteractive(options: ShellOptions): Promise<number> {
  const { streams, discover, signal } = options
  const gone = new AbortController()
  let session: Session | undefined
  const keyboard = createKeyboard({
    stdin: streams.stdin,
    // Before there is a shell to come back to, Ctrl-C is what it is everywhere.
    onCancel: () => (session ? session.cancel() : process.kill(process.pid, 'SIGINT')),
    // Who leaves does not wait for what runs; the line after it ends the shell.
    onLeave: () => session?.cancel(),
    onEnd: () => gone.abort(),
  })
  try {
    const cwd = resolve(discover.cwd ?? '.')
    const screen = createScreen({ streams, keyboard, isQuiet: options.isQuiet, cwd })
    const turns = new Turns()
    const questions = openQuestions({ streams, keyboard, screen, turns })
    const host = await openHost(options, { screen, questions })
    const runner = options.createRunner({
      host,
      conversation: `shell-${randomUUID()}`,
      listen: screen.listen,
      streams: commandStreams(streams, keyboard, screen),
    })
    session = createSession({ host, runner, output: screen.output, hold: () => turns.take() })
    const ends = AbortSignal.any([signal, gone.signal])
    const { cancel } = session
    ends.addEventListener('abort', () => cancel(), { once: true })
    await follow(host, { discover, signal: ends }, screen)
    // What servers offer is looked at while the person reads the first lines.
    host.ready().catch(() => undefined)
    await readLines({ host, runner, session, screen, turns, questions, streams, signal: ends })
    return 0
  } finally {
    gone.abort()
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
    tell: screen.tell,
    show: (text) => screen.output.show(text),
    onWanted: () => screen.editor.interrupt(),
    onAsking: screen.ask,
    promptsFor(signal) {
      const keys = keyboard.open()
      const { stderr: stdout, env } = streams
      const prompts = createPrompts({ stdin: keys, stdout, signal, isPlain: env['TERM'] === 'dumb' })
      return { ...prompts, [Symbol.dispose]: () => void keys.destroy() }
    },
  })
}

const patienceMs = 300

async function openHost(
  { discover, streams, closeOnEnd }: ShellOptions,
  { screen, questions }: { readonly screen: Screen; readonly questions: Questions },
): Promise<Host> {
  let host: Host | undefined
  const style = () => createStyle({ env: streams.env, isTTY: true })
  const placeOf = (server: string): string => {
    const found = host?.discovery.servers.find(({ name }) => name === server)
    return found ? screen.output.notes.path(found.origin.file) : 'a file that is not read any more'
  }
  // Only servers that have to be there from the start make a person wait.
  const timer = setTimeout(() => screen.output.progress('Connecting to your servers…'), patienceMs)
  host = await createHost({
    ...discover,
    elicit: createElicit({ questions, style, placeOf }),
    sample: createSample(questions),
    approve: createApprove(questions),
    answers: createAnswers(questions),
    on: screen.onEvent,
  }).finally(() => clearTimeout(timer))
  closeOnEnd(host)
  return host
}

/** Streams for one command. Its keys end with it: what was not read then is nobody's answer later. */
function commandStreams({ stdout, stderr }: ShellStreams, keyboard: Keyboard, { whenFree }: Screen) {
  let before: Keys | undefined
  return () => {
    before?.destroy()
    before = keyboard.open()
    return {
      stdin: before as unknown as NodeJS.ReadStream, // as far as questions know
      stdout: forwardTo(stdout, whenFree) as NodeJS.WriteStream, // as far as commands know
      stderr: forwardTo(stderr, whenFree) as NodeJS.WriteStream,
    }
  }
}

/** Where files cannot be watched, the shell does without: /mcp reload reads them again. */
async function follow(
  host: Host,
  { discover, signal }: Pick<ShellOptions, 'discover' | 'signal'>,
  screen: Screen,
): Promise<void> {
  const onChange = createFollower({ host, tell: screen.tell })
  await watchConfig({ ...discover, onChange, signal }).catch(() => undefined)
}
