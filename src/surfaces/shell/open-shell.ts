import type { DiscoverOptions } from '../../index.ts'
import type { TerminalStream } from '../terminal/terminal-output.ts'
import type { RunnerSession, ShellRunner } from './session.ts'

export interface ShellStreams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: TerminalStream
  readonly stderr: TerminalStream
  readonly env: Readonly<Partial<Record<string, string>>>
}

/** What a shell needs from whoever opens it: the command line. */
export interface ShellOptions {
  readonly streams: ShellStreams
  readonly discover: DiscoverOptions
  readonly isQuiet: boolean
  /** Is there a person? */
  readonly isInteractive: boolean
  /** Ends the shell from outside. */
  readonly signal: AbortSignal
  /** Whatever ends the shell, this is closed, and waited for. */
  readonly closeOnEnd: (thing: { close(): Promise<void> }) => void
  /** Runs commands with the shell's host. */
  readonly createRunner: (session: RunnerSession) => ShellRunner
}

/** Opens a shell, and returns its exit code: that of the first command that failed where nobody was there to see it. */
export async function openShell(options: ShellOptions): Promise<number> {
  if (!options.isInteractive) return (await import('./piped.ts')).runPiped(options)
  return (await import('./interactive.ts')).runInteractive(options)
}
