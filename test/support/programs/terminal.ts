import { spawn } from '@lydell/node-pty'
import { stripVTControlCharacters } from 'node:util'
import { cliFile } from './cli.ts'
import type { Machine } from './cli.ts'

export const keys = { enter: '\r', down: '\u001B[B', ctrlC: '\u0003', escape: '\u001B' } as const

/** The command line in a real pseudo-terminal. */
export interface Terminal {
  /** Waits until the text appears after the text of the previous `see`. */
  see(text: string): Promise<void>
  type(text: string): void
  readonly pid: number
  /** Closes the terminal window. */
  hangUp(): void
  /** All output, without colors and cursor movements. */
  shown(): string
  /** All output with control sequences. */
  raw(): string
  readonly ended: Promise<number>
}

export interface TerminalOptions {
  readonly columns?: number
  readonly env?: Readonly<Record<string, string>>
  /** Answers every prompt with Ctrl-C. */
  readonly declines?: boolean
}

export function openTerminal(machine: Machine, args: readonly string[], options?: TerminalOptions): Terminal {
  return openProgram(machine, [process.execPath, cliFile, ...args], options)
}

/** Runs any program in a pseudo-terminal, such as bash. */
export function openProgram(
  machine: Machine,
  [program = '', ...args]: readonly string[],
  { columns = 100, env = {}, declines = false }: TerminalOptions = {},
): Terminal {
  const pty = spawn(program, [...args], {
    cols: columns,
    rows: 40,
    cwd: machine.project,
    env: { ...machine.env, TERM: 'xterm-256color', ...env },
  })
  let raw = ''
  let seen = 0
  let questions = 0
  let isOver = false
  const watchers = new Set<() => void>()
  const notify = () => {
    for (const watcher of watchers) watcher()
  }
  pty.onData((chunk) => {
    raw += chunk
    const asked = raw.split('◆').length - 1
    if (declines && asked > questions) pty.write(keys.ctrlC)
    questions = asked
    notify()
  })
  const ended = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode }) => {
      isOver = true
      notify()
      resolve(exitCode)
    })
  })
  const shown = () => stripVTControlCharacters(raw).replaceAll('\r\n', '\n')
  return {
    see: (text) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const at = shown().indexOf(text, seen)
          if (at < 0 && !isOver) return
          watchers.delete(check)
          if (at < 0) return reject(new Error(`"${text}" was never shown:\n${shown()}`))
          seen = at + text.length
          resolve()
        }
        watchers.add(check)
        check()
      }),
    type: (text) => pty.write(text),
    pid: pty.pid,
    hangUp: () => pty.kill(),
    shown,
    raw: () => raw,
    ended,
  }
}
