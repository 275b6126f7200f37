import { Writable } from 'node:stream'
import type { HostEvent } from '../../index.ts'
import type { Keyboard } from '../terminal/keyboard.ts'
import { createLineEditor } from '../terminal/line-editor.ts'
import type { LineEditor } from '../terminal/line-editor.ts'
import { inShell } from '../terminal/shell-words.ts'
import { createOutput } from '../terminal/terminal-output.ts'
import type { Output, TerminalStream } from '../terminal/terminal-output.ts'
import type { ShellStreams } from './open-shell.ts'
import type { CommandWaitLine } from './session.ts'

export interface Screen {
  readonly editor: LineEditor
  /** Output of the shell itself, printed above the line that is typed. */
  readonly output: Output
  /** Prints a note as soon as no question is on the screen. */
  notify(this: void, text: string): void
  /** Runs the work as soon as no question is on the screen. */
  whenFree(this: void, work: () => void): void
  /** Called when a question appears and when it ends. */
  setAsking(this: void, isAsking: boolean): void
  onEvent(this: void, event: HostEvent): void
  /** Sends the host's events to the running command. */
  listen(this: void, waiting: CommandWaitLine): Disposable
}

interface ScreenOptions {
  readonly streams: ShellStreams
  readonly keyboard: Keyboard
  readonly isQuiet: boolean
  readonly cwd: string
}

const CLEAR_LINE = '\r\u001B[2K'

/** Shares the screen between the typed line, a question and the running command: only one of them shows at a time. */
export function createScreen({ streams, keyboard, isQuiet, cwd }: ScreenOptions): Screen {
  const { stdout, stderr, env } = streams
  const editor = createLineEditor({ keyboard, output: stderr, isPlain: env['TERM'] === 'dumb' })
  const output = createOutput({
    stdout,
    stderr: aboveLine(editor, stderr, env['TERM'] === 'dumb' ? '' : CLEAR_LINE),
    env,
    quiet: isQuiet,
    here: { cwd, home: env['HOME'] },
    proposed: inShell,
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
    notify: (text) => whenFree(() => output.note(text)),
    setAsking(asking) {
      isAsking = asking
      waiting?.mute(asking)
      if (!asking) for (const work of later.splice(0)) work()
    },
    onEvent(event) {
      refreshSoon()
      if (waiting) whenFree(() => waiting?.onEvent(event))
      else if (event.type === 'server.warned')
        whenFree(() => output.warn(`"${event.server}": ${event.message}`))
      if (event.type === 'call.warned' || event.type === 'call.marked' || event.type === 'audit.failed')
        whenFree(() => output.warn(event.message))
    },
    listen(next) {
      waiting = next
      next.mute(isAsking)
      return { [Symbol.dispose]: () => void (waiting = undefined) }
    },
  }
}

/** A stream that prints above the typed line; without one it first clears a progress line that is still on the screen. */
function aboveLine(editor: LineEditor, stream: TerminalStream, clear: string): TerminalStream {
  const stderr = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const text = String(chunk)
      if (editor.isReading) editor.printAbove(text.replace(/\n$/, ''))
      else stream.write(clear + text)
      done()
    },
  })
  return Object.defineProperties(stderr, {
    isTTY: { get: () => stream.isTTY === true },
    columns: { get: () => stream.columns },
  })
}
