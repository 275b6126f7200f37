import { run } from '@stricli/core'
import type { Diagnostic } from '../../index.ts'
import type { DocumentFields } from '../terminal/json-document.ts'
import { createOutput, hasNoReader } from '../terminal/terminal-output.ts'
import { commands, createApp } from './app.ts'
import { pathLength, subcommandsOf } from './arguments/command-path.ts'
import { originFlagsIn } from './arguments/origin-flags.ts'
import type { Cli, CliProcess } from './command-context.ts'
import { drawFault, faultOf } from './errors.ts'
import type { Fault } from './errors.ts'
import { exitCodes } from './exit-codes.ts'
import { watchSignals } from './signals.ts'

/** Runs one command line; commands use the process only through this argument. */
export async function runCli(
  args: readonly string[],
  process: CliProcess,
  version: string,
  { isProgram = false, ...more }: Pick<Cli, 'isProgram' | 'loadHost' | 'platform'> = {},
): Promise<void> {
  const outputDone = watchOutput(process)
  await runLine(
    await withCommand(args, process),
    { process, signals: watchSignals(process), isProgram, ...more },
    version,
  )
  outputDone()
}

/** The command line with its command first: flags may precede it, and there may be none. */
async function withCommand(args: readonly string[], process: CliProcess): Promise<readonly string[]> {
  if (args.length === 0) return [await defaultCommand(process)]
  if (!args[0]?.startsWith('--')) return args
  const { moveLeading, splitLeading } = await import('./arguments/leading-flags.ts')
  const { leading, rest } = splitLeading(args)
  return rest.length === 0 ? [await defaultCommand(process), ...leading] : moveLeading(args)
}

/** Without a command: the shell in a terminal or for piped lines, otherwise help. */
async function defaultCommand({ stdin, stdout, stderr }: CliProcess): Promise<'shell' | '--help'> {
  if (stdin.isTTY) return stdout.isTTY && stderr.isTTY ? 'shell' : '--help'
  const hasInput = await new Promise<boolean>((resolve) => {
    stdin.once('readable', () => {
      const chunk: unknown = stdin.read()
      // Put back at once: after a turn of the event loop, a stream that has ended takes nothing back.
      if (chunk !== null) stdin.unshift(chunk)
      resolve(chunk !== null)
    })
    for (const event of ['end', 'error']) stdin.once(event, () => resolve(false))
  })
  return hasInput ? 'shell' : '--help'
}

/** Runs one command line with the given context: the process, or a line of the shell. */
export async function runLine(args: readonly string[], cli: Cli, version: string): Promise<void> {
  const { process } = cli
  const words = expandJsonFlag(args)
  const faults: Fault[] = []
  const brokenFiles: Diagnostic[] = []
  const app = createApp(version, {
    isShell: cli.live !== undefined,
    help: `plugboard ${commandPathIn(args)}--help`,
    subcommands: pathLength(args) === 1 ? subcommandsOf(args[0]) : [],
    onFault: (fault) => faults.push(fault),
    origin: originFlagsIn(words),
    cwd: cli.platform?.cwd,
    home: process.env['HOME'] ?? process.env['USERPROFILE'],
  })
  if (args[0] === '__complete')
    await (await import('./arguments/complete-words.ts')).complete(app, args.slice(1), cli)
  else await run(app, words, { ...cli, brokenFiles })
  // Stricli's own codes for a wrong command line are negative.
  if (typeof process.exitCode === 'number' && process.exitCode < 0) process.exitCode = exitCodes.usage.code
  if (wantsJson(words))
    for (const error of faults) await printJson(await withFiles({ error }, brokenFiles), process, words)
}

async function withFiles(fields: DocumentFields, found: readonly Diagnostic[]): Promise<DocumentFields> {
  return found.length === 0 ? fields : (await import('./broken-files.ts')).addDiagnostics(fields, found)
}

/**
 * Watches for failed writes to stdout. Stricli prints help without checking them. A failure that the command has reported
 * itself is not reported again.
 */
function watchOutput(process: CliProcess): () => void {
  let failure: Error | undefined
  let isOver = false
  const say = (): void => {
    if (isOver && failure !== undefined && !process.exitCode) reportUnwritten(failure, process)
  }
  process.stdout.on('error', (error: Error) => {
    failure ??= error
    say()
  })
  // If stderr fails, there is nowhere left to report it.
  process.stderr.on('error', () => undefined)
  return () => {
    isOver = true
    say()
  }
}

/** Reports that the result could not be written, unless the reader closed the pipe: that is not an error. */
export function reportUnwritten(error: Error, process: CliProcess): void {
  if (hasNoReader(error)) return
  process.exitCode = exitCodes.failed.code
  process.stderr.write(`${drawFault(faultOf(error))}\n`)
}

/** Whether JSON was requested, judged from raw words because the command line may be invalid. */
function wantsJson(words: readonly string[]): boolean {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  return words
    .slice(0, end)
    .some(
      (word, at) =>
        /^--(?:json|json=true|format=json)$/.test(word) || (word === 'json' && words[at - 1] === '--format'),
    )
}

/** Prints a JSON document; for a stream as a single line, like the lines before it. */
async function printJson(
  fields: DocumentFields,
  { stdout, stderr, env }: CliProcess,
  words: readonly string[],
): Promise<void> {
  const output = createOutput({
    stdout,
    stderr,
    env,
    json:
      words[0] === 'run' || words.includes('--follow') || words.includes('--watch') ? 'lines' : 'document',
  })
  output.result(fields, () => '')
  // The fault is already on stderr; a failing stdout adds nothing.
  await output.flush().catch(() => undefined)
}

/** The command of a possibly invalid command line, to name its help. */
function commandPathIn(words: readonly string[]): string {
  if (!Object.hasOwn(commands, words[0] ?? '')) return ''
  return `${words.slice(0, pathLength(words)).join(' ')} `
}

/** The flag that `--json '{…}'` stands for; `--json` without an object requests a JSON result. */
const jsonFlags: Readonly<Record<string, string>> = { add: '--entry', call: '--args', prompt: '--args' }

/**
 * Rewrites `--json '{…}'`: for `add` it is the entry, for `call` and `prompt` the arguments. The `--` before a command is
 * doubled for `add`, because Stricli removes the first one and `add` needs to see it.
 */
function expandJsonFlag(args: readonly string[]): readonly string[] {
  const [command = ''] = args
  const flag = Object.hasOwn(jsonFlags, command) ? jsonFlags[command] : undefined
  if (flag === undefined) return args
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const flags = args
    .slice(0, end)
    .map((arg, index) => (arg === '--json' && /^\s*[{[]/.test(args[index + 1] ?? '') ? flag : arg))
  return end === args.length || command !== 'add'
    ? [...flags, ...args.slice(end)]
    : [...flags, '--', ...args.slice(end)]
}
