import type { Machine } from './cli.ts'
import { openTerminal } from './terminal.ts'
import type { Terminal, TerminalOptions } from './terminal.ts'

export const shellPrompt = 'plugboard> '

/** A shell in a real pseudo-terminal. */
export interface ShellTerminal extends Terminal {
  /** Types a line, and waits until the expected text appears after it. */
  enter(line: string, expected: string): Promise<void>
  /** Presses Ctrl-D and returns the exit code. */
  leave(): Promise<number>
}

const timeoutMs = 60_000

/** Waits for a text with a timeout: the shell waits for input, so the test would hang without a message. */
export async function waitForText(terminal: Pick<Terminal, 'see' | 'shown'>, text: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const fail = () => reject(new Error(`"${text}" was not shown:\n${terminal.shown()}`))
    timer = setTimeout(fail, timeoutMs)
  })
  await Promise.race([terminal.see(text), late]).finally(() => clearTimeout(timer))
}

/** Opens `plugboard`, and waits for its prompt. */
export async function openShell(
  machine: Machine,
  { args = [], ...options }: TerminalOptions & { readonly args?: readonly string[] } = {},
): Promise<ShellTerminal> {
  const opened = openTerminal(machine, args, options)
  const terminal = { ...opened, see: (text: string) => waitForText(opened, text) }
  await terminal.see(shellPrompt)
  return {
    ...terminal,
    async enter(line, expected) {
      terminal.type(`${line}\r`)
      await terminal.see(line)
      await terminal.see(expected)
    },
    leave() {
      terminal.type('\u0004')
      return terminal.ended
    },
  }
}
