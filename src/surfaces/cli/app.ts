import { buildApplication, buildRouteMap, run, text_en } from '@stricli/core'
import type { Application, ApplicationText } from '@stricli/core'
import { HostError } from '../../index.ts'
import type { ErrorCode } from '../../index.ts'
import type { Cli, CliProcess } from './context.ts'
import { commands } from './commands.ts'
import { explainError } from './errors.ts'
import { exitCodes } from './exit-codes.ts'
import type { Exit } from './exit-codes.ts'
import { escapeText } from '../terminal/escape.ts'
import { hasNoReader } from '../terminal/output.ts'

/** A suggestion is a slip of the hand away. */
const closeEnough = {
  threshold: 2,
  weights: { insertion: 1, deletion: 1, substitution: 1, transposition: 1 },
}

/** Runs one command line. Everything a command needs from the process comes in here. */
export async function runCli(args: readonly string[], process: CliProcess, version: string): Promise<void> {
  const app = createApp(version, `plugboard ${commandIn(args)}--help`)
  if (args[0] === '__complete') return (await import('./complete.ts')).complete(app, args.slice(2), process)
  const ended = watchResult(process)
  await run(app, args.length === 0 ? ['--help'] : withEntryFlag(args), { process })
  // Stricli's own codes for a wrong command line are negative.
  if (typeof process.exitCode === 'number' && process.exitCode < 0) process.exitCode = exitCodes.usage.code
  ended()
}

/** Help is written by Stricli, which does not look whether it arrives. What a command says itself is not said again. */
function watchResult(process: CliProcess): () => void {
  let failure: Error | undefined
  let isOver = false
  const say = (): void => {
    if (!isOver || failure === undefined || hasNoReader(failure) || process.exitCode) return
    process.exitCode = exitCodes.failed.code
    process.stderr.write(`${explainError(failure)}\n`)
  }
  process.stdout.on('error', (error: Error) => {
    failure ??= error
    say()
  })
  return () => {
    isOver = true
    say()
  }
}

/** The command that a wrong command line began with, for its help. */
function commandIn([first = '', second = '']: readonly string[]): string {
  if (!Object.hasOwn(commands, first)) return ''
  const isNested = first === 'sources' && ['list', 'enable', 'disable'].includes(second)
  return isNested ? `${first} ${second} ` : `${first} `
}

/**
 * `add NAME --json '{…}'` gives the entry; `--json` alone asks for a JSON result. The `--` before a command is doubled,
 * because Stricli takes the first one away and `add` wants to see it.
 */
function withEntryFlag(args: readonly string[]): readonly string[] {
  if (args[0] !== 'add') return args
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const flags = args
    .slice(0, end)
    .map((arg, index) => (arg === '--json' && /^\s*[{[]/.test(args[index + 1] ?? '') ? '--entry' : arg))
  return end === args.length ? flags : [...flags, '--', ...args.slice(end)]
}

export function createApp(version: string, help = 'plugboard --help'): Application<Cli> {
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
    scanner: {
      caseStyle: 'allow-kebab-for-camel',
      allowArgumentEscapeSequence: true,
      distanceOptions: closeEnough,
    },
    documentation: { disableAnsiColor: true, onlyRequiredInUsageLine: true },
    localization: {
      text: {
        ...withHelp(escaped(text_en), help),
        exceptionWhileRunningCommand: explainError,
        commandErrorResult: explainError,
      },
    },
    determineExitCode: (error) => exitCodes[exitOf(error)].code,
  })
}

/** A wrong command line ends with where the right one is described. */
function withHelp(text: ApplicationText, help: string): ApplicationText {
  return {
    ...text,
    noCommandRegisteredForInput: (input) => `${text.noCommandRegisteredForInput(input)}\nSee: ${help}`,
    exceptionWhileParsingArguments: (error, color) =>
      `${text.exceptionWhileParsingArguments(error, color)}\nSee: ${help}`,
  }
}

/** Sentences about a wrong command line repeat words of it (T18). */
function escaped(text: ApplicationText): ApplicationText {
  const entries = Object.entries(text).map(([key, value]: [string, unknown]) => [
    key,
    typeof value === 'function' ? (...words: unknown[]) => escapeText(String(value(...words))) : value,
  ])
  return Object.fromEntries(entries) as ApplicationText // the same keys, and functions with the same parameters
}

const exits: Readonly<Record<ErrorCode, Exit>> = {
  usage: 'usage',
  'server.unknown': 'unknown',
  'source.unknown': 'unknown',
  'config.exists': 'conflict',
  'config.conflict': 'conflict',
  'config.locked': 'conflict',
  'store.damaged': 'damaged',
  'trust.refused': 'untrusted',
  'config.invalid': 'failed',
  'config.unwritable': 'failed',
  'value.unresolved': 'failed',
}

function exitOf(error: unknown): Exit {
  if (!(error instanceof HostError)) return 'failed'
  const { code }: HostError = error
  return exits[code]
}
