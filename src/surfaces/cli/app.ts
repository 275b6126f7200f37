import { buildApplication, buildRouteMap, proposeCompletions, run, text_en } from '@stricli/core'
import type { Application } from '@stricli/core'
import { HostError } from '../../index.ts'
import type { Cli, CliProcess } from './context.ts'
import { commands } from './commands.ts'
import { explainError } from './errors.ts'
import { exitCodes } from './exit-codes.ts'
import { escapeLine } from '../terminal/escape.ts'

/** Runs one command line. Everything a command needs from the process comes in here. */
export async function runCli(args: readonly string[], process: CliProcess, version: string): Promise<void> {
  const app = createApp(version)
  if (args[0] === '__complete') return complete(app, args.slice(2), process)
  await run(app, args.length === 0 ? ['--help'] : withEntryFlag(args), { process })
  // Stricli's own codes for a wrong command line are negative.
  if (typeof process.exitCode === 'number' && process.exitCode < 0) process.exitCode = exitCodes.usage.code
}

/** `add NAME --json '{…}'` gives the entry; `--json` alone asks for a JSON result. */
function withEntryFlag(args: readonly string[]): readonly string[] {
  if (args[0] !== 'add') return args
  const end = args.indexOf('--')
  return args.map((arg, index) =>
    arg === '--json' && (end < 0 || index < end) && args[index + 1]?.trimStart().startsWith('{')
      ? '--entry'
      : arg,
  )
}

/** What the completion scripts ask: the words so far, the last one unfinished. */
async function complete(app: Application<Cli>, words: readonly string[], process: CliProcess): Promise<void> {
  const proposals = await proposeCompletions(app, words.length === 0 ? [''] : words, { process })
  process.stdout.write(proposals.map(({ completion }) => `${escapeLine(completion)}\n`).join(''))
}

export function createApp(version: string): Application<Cli> {
  const root = buildRouteMap<keyof typeof commands, Cli>({
    routes: commands,
    aliases: { rm: 'remove', ls: 'list' },
    docs: {
      brief: 'Every MCP server you have configured, found, explained and ready for an agent',
      fullDescription:
        'Plugboard reads the MCP servers that are declared for this folder, says which declaration counts and why, and edits ' +
        'them where they stand. Nothing of a project starts before you trust it.',
    },
  })
  return buildApplication<Cli>(root, {
    name: 'plugboard',
    versionInfo: { currentVersion: version },
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
    documentation: { disableAnsiColor: true },
    localization: {
      text: { ...text_en, exceptionWhileRunningCommand: explainError, commandErrorResult: explainError },
    },
    determineExitCode: (error) => exitCodes[error instanceof HostError ? exitOf(error) : 'failed'].code,
  })
}

function exitOf({ code }: HostError): keyof typeof exitCodes {
  switch (code) {
    case 'usage':
      return 'usage'
    case 'server.unknown':
    case 'source.unknown':
      return 'unknown'
    case 'config.exists':
    case 'config.conflict':
    case 'config.locked':
      return 'conflict'
    case 'store.damaged':
      return 'damaged'
    case 'trust.refused':
      return 'untrusted'
    case 'config.invalid':
    case 'config.unwritable':
    case 'value.unresolved':
      return 'failed'
  }
}
