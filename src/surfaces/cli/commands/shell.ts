import { discoverOptions, isInteractive } from '../command-context.ts'
import type { Cli, CommonFlags } from '../command-context.ts'
import { createRunner } from '../runner.ts'

/** A shell with one live host: lines of a terminal, or of a pipe. */
export async function shell(cli: Cli, flags: CommonFlags): Promise<void> {
  const { openShell } = await import('../../shell/open-shell.ts')
  const { process, signals } = cli
  await signals.guard(async ({ signal, closes }) => {
    const code = await openShell({
      streams: process,
      discover: discoverOptions(flags),
      isQuiet: flags.quiet ?? false,
      isInteractive: isInteractive(cli),
      signal,
      closes,
      createRunner: (session) => createRunner(process, flags, session),
    })
    // What ended it from outside has a code of its own.
    if (!signal.aborted) process.exitCode = code
  })
}
