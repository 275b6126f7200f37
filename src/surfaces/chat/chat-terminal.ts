import { escapeStyled } from '../terminal/style.ts'
import type { Keyboard } from '../terminal/keyboard.ts'
import { createLiveRegion } from '../terminal/live-region.ts'
import type { Block } from '../../index.ts'
import type { ShellStreams } from '../shell/open-shell.ts'
import { Turns } from '../shell/questions.ts'
import type { Questions } from '../shell/questions.ts'
import { createScreen } from '../shell/screen.ts'
import type { Screen } from '../shell/screen.ts'
import { openQuestions } from '../shell/terminal-parts.ts'
import type { TurnScreen } from './turn-view.ts'

/** The terminal of a chat: the shell's screen, with lines below the output that change while a turn runs. */
export interface ChatTerminal {
  /** Streams that print above the changing lines. */
  readonly streams: ShellStreams
  readonly screen: Screen
  readonly turns: Turns
  readonly questions: Questions
  /** Prints painted lines that stay. */
  print(this: void, lines: readonly string[]): void
  turnScreen(save: TurnScreen['save']): TurnScreen
}

interface ChatTerminalOptions {
  readonly streams: ShellStreams
  readonly keyboard: Keyboard
  readonly isQuiet: boolean
  readonly cwd: string
  /** Called if the person cancelled a question. */
  readonly onCancelled: () => void
}

/** Longer lines are hard to read; tables and code use the whole width anyway. */
const widest = 100

export function createChatTerminal({
  streams: outer,
  keyboard,
  isQuiet,
  cwd,
  onCancelled,
}: ChatTerminalOptions): ChatTerminal {
  const region = createLiveRegion({ stream: outer.stderr, isPlain: outer.env['TERM'] === 'dumb' })
  const streams: ShellStreams = {
    ...outer,
    stdout: region.above(outer.stdout),
    stderr: region.above(outer.stderr),
  }
  const turns = new Turns()
  const shared = createScreen({ streams, keyboard, isQuiet, cwd })
  const screen: Screen = {
    ...shared,
    setAsking(isAsking) {
      // A question draws itself at the bottom of the terminal, where the changing lines are.
      if (isAsking) {
        region.setHidden(true)
        outer.stderr.write('\n')
      }
      shared.setAsking(isAsking)
      if (!isAsking) region.setHidden(false)
    },
  }
  const questions = openQuestions({ streams: outer, keyboard, screen, turns, onCancelled })
  const canvas = () => {
    const { style, width = widest, path, proposed } = screen.output.notes
    return { style, path, proposed, width: Math.min(width, widest) }
  }
  const write = (lines: readonly string[]) => escapeStyled(lines.join('\n'))
  const writeLine = (line: string) => escapeStyled(line)
  return {
    streams,
    screen,
    turns,
    questions,
    print: (lines) => screen.whenFree(() => region.print(write(lines), [])),
    turnScreen: (save: (blocks: readonly Block[], name: string) => readonly string[]) => ({
      canvas,
      save,
      print: (lines, live) => screen.whenFree(() => region.print(write(lines), live().map(writeLine))),
      show: (live) => region.show(live.map(writeLine)),
      now: () => performance.now(),
      after(ms, work) {
        const timer = setTimeout(work, ms)
        return { [Symbol.dispose]: () => clearTimeout(timer) }
      },
    }),
  }
}
