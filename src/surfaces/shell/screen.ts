import { Writable } from 'node:stream'
import type { HostEvent } from '../../index.ts'
import type { Keyboard } from '../terminal/keyboard.ts'
import { createLineEditor } from '../terminal/line-editor.ts'
import type { LineEditor } from '../terminal/line-editor.ts'
import { createOutput } from '../terminal/terminal-output.ts'
import type { Output, TerminalStream } from '../terminal/terminal-output.ts'
import type { ShellStreams } from './open-shell.ts'
import type { CommandWaitLine } from './session.ts'

export interface Screen {
  readonly editor: LineEditor
  /** For what the shell itself says: above the line that is typed, if one is. */
  readonly output: Output
  /** Says what happened, as soon as no question is on the screen. */
  tell(this: void, text: string): void
  /** Does it as soon as no question is on the screen. */
  whenFree(this: void, work: () => void): void
  /** A question comes, or is over. */
  ask(this: void, isAsking: boolean): void
  /** Something happened in the host. */
  onEvent(this: void, event: HostEvent): void
  /** What the host tells goes to the command that runs. */
  listen(this: void, waiting: CommandWaitLine): Disposable
}

interface ScreenOptions {
  readonly streams: ShellStreams
  readonly keyboard: Keyboard
  readonly isQuiet: boolean
  readonly cwd: string
}

const CLEAR_LINE = '\r\u001B[2K'

/** What is on the screen: a line that is typed, a question, or a command that runs; never two of them at once. */
export function createScreen({ streams, keyboard, isQuiet, cwd }: ScreenOptions): Screen {
  const { stdout, stderr, env } = streams
  const editor = createLineEditor({ keyboard, output: stderr, isPlain: env['TERM'] === 'dumb' })
  const output = createOutput({
    stdout,
    stderr: aboveLine(editor, stderr, env['TERM'] === 'dumb' ? '' : CLEAR_LINE),
    env,
    quiet: isQuiet,
    here: { cwd, home: env['HOME'] },
  })
  let isAsking = false
  let waiting: CommandWaitLine | undefined
  const later: (() => void)[] = []
  const whenFree = (work: () => void): void => void (isAsking ? later.push(work) : work())
  let isDue = false
  const refreshSoon = (): void => {
    if (isDue) return
    isDue = true
    setImmediate(() => {
      isDue = false
      editor.refresh()
    })
  }
  return {
    editor,
    output,
    whenFree,
    tell: (text) => whenFree(() => output.note(text)),
    ask(asking) {
      isAsking = asking
      waiting?.mute(asking)
      if (!asking) for (const work of later.splice(0)) work()
    },
    onEvent(event) {
      refreshSoon()
      if (waiting) whenFree(() => waiting?.onEvent(event))
      else if (event.type === 'server.warned')
        whenFree(() => output.warn(`"${event.server}": ${event.message}`))
    },
    listen(now) {
      waiting = now
      now.mute(isAsking)
      return { [Symbol.dispose]: () => void (waiting = undefined) }
    },
  }
}

/** A line of progress that another one left is not part of what is said. */
function aboveLine(editor: LineEditor, stream: TerminalStream, clear: string): TerminalStream {
  const above = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const text = String(chunk)
      if (editor.isReading) editor.say(text.replace(/\n$/, ''))
      else stream.write(clear + text)
      done()
    },
  })
  return Object.defineProperties(above, {
    isTTY: { get: () => stream.isTTY === true },
    columns: { get: () => stream.columns },
  })
}
