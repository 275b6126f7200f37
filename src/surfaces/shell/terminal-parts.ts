import { isAbsolute } from 'node:path'
import { watchConfig } from '../../config.ts'
import type { ApproveSample } from '../../agent.ts'
import type { Host, HostOptions, Sample } from '../../index.ts'
import { forwardTo } from '../terminal/forward.ts'
import type { Keyboard, Keys } from '../terminal/keyboard.ts'
import { createStyle } from '../terminal/style.ts'
import { createPrompts } from '../terminal/terminal-prompts.ts'
import { createElicit, refuseElicitation } from './elicit.ts'
import { createFollower } from './follow.ts'
import type { ShellOptions, ShellStreams } from './open-shell.ts'
import { createAnswers, createApprove, createSample, createSampleApproval } from './person-callbacks.ts'
import { createQuestions } from './questions.ts'
import type { Questions, Turns } from './questions.ts'
import type { Screen } from './screen.ts'
import type { ServerUses } from './server-uses.ts'
import type { DeskParts, HostDesk } from './shared-desk.ts'

interface QuestionParts {
  readonly streams: ShellStreams
  readonly keyboard: Keyboard
  readonly screen: Screen
  readonly turns: Turns
  /** Called if the person cancelled a question. */
  readonly onCancelled?: () => void
}

/** Questions that take the terminal from the typed line while they are asked. */
export function openQuestions(parts: QuestionParts): Questions {
  const { streams, keyboard, screen, turns, onCancelled } = parts
  return createQuestions({
    turns,
    ...(onCancelled && { onCancelled }),
    notify: screen.notify,
    show: (text) => screen.output.show(text),
    onWanted: () => screen.editor.interrupt(),
    onAsking: screen.setAsking,
    promptsFor(signal) {
      const keys = keyboard.open()
      const { stderr: stdout, env } = streams
      const isPlain = env['TERM'] === 'dumb'
      const prompts = createPrompts({ stdin: keys, stdout, signal, isPlain })
      return { ...prompts, [Symbol.dispose]: () => void keys.destroy() }
    },
  })
}

interface PersonParts {
  readonly streams: ShellStreams
  readonly screen: Screen
  readonly questions: Questions
  readonly uses: ServerUses
  /** The host that the callbacks are made for, as soon as it exists. */
  readonly host: () => Host | undefined
  /** The label of an approval for the whole conversation. */
  readonly conversation?: string
  /** Opens the desk where questions also wait for an answer from elsewhere. Without it only this terminal answers. */
  readonly desk?: (parts: DeskParts) => HostDesk
  /** Answers sampling requests with a model. Without it the person answers in its place. */
  readonly sample?: (approve: ApproveSample) => Sample
}

/** The callbacks of a host whose person sits at this terminal. */
export function createPersonCallbacks({
  streams,
  screen,
  questions,
  uses,
  host,
  conversation,
  desk,
  sample,
}: PersonParts): Pick<HostOptions, 'elicit' | 'sample' | 'approve' | 'answers' | 'on'> {
  const style = () => createStyle({ env: streams.env, isTTY: true })
  const placeOf = (server: string): string => {
    const found = host()?.discovery.servers.find(({ name }) => name === server)
    if (!found) return 'a file that is no longer read'
    // The server of the demo is in no file.
    return isAbsolute(found.origin.file) ? screen.output.notes.path(found.origin.file) : 'the demo itself'
  }
  const local = {
    elicit: createElicit({ questions, style, placeOf }),
    approve: createApprove(questions, conversation),
    approveSample: createSampleApproval(questions),
  }
  const { elicit, approve, approveSample } = desk?.({ local, refuse: refuseElicitation, placeOf }) ?? local
  return {
    elicit,
    sample: sample?.(approveSample) ?? createSample(questions),
    approve,
    answers: createAnswers(questions, uses),
    on: screen.onEvent,
  }
}

/** Creates the streams of one command. Its keys are destroyed with it, so unread input cannot answer a later question. */
export function commandStreams({ stdout, stderr }: ShellStreams, keyboard: Keyboard, { whenFree }: Screen) {
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
export async function followConfig(
  host: Host,
  { discover, signal }: Pick<ShellOptions, 'discover' | 'signal'>,
  screen: Screen,
): Promise<void> {
  const onChange = createFollower({ host, notify: screen.notify })
  await watchConfig({ ...discover, onChange, signal }).catch(() => undefined)
}
