import type { DiscoverOptions } from '../../index.ts'
import type { TerminalStream } from '../terminal/terminal-output.ts'
import type { RunnerSession, ShellRunner } from './session.ts'

export interface ShellStreams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: TerminalStream
  readonly stderr: TerminalStream
  readonly env: Readonly<Partial<Record<string, string>>>
}

/** What the command line passes to a shell. */
export interface ShellOptions {
  readonly streams: ShellStreams
  readonly discover: DiscoverOptions
  readonly isQuiet: boolean
  /** Whether a person can answer questions. */
  readonly isInteractive: boolean
  /** Ends the shell from outside. */
  readonly signal: AbortSignal
  /** Registers something to close when the shell ends, for whatever reason; the exit waits for it. */
  readonly closeOnEnd: (thing: { close(): Promise<void> }) => void
  /** Creates the runner of commands, which use the shell's host. */
  readonly createRunner: (session: RunnerSession) => ShellRunner
}

/** Opens a shell and returns its exit code: 0 for a person, and for a pipe the code of the first line that failed. */
export async function openShell(options: ShellOptions): Promise<number> {
  if (!options.isInteractive) return (await import('./piped.ts')).runPiped(options)
  return (await import('./interactive.ts')).runInteractive(options)
}
