import { run } from '@stricli/core'
import { escapeJson } from '../terminal/escape.ts'
import { createOutput, hasNoReader } from '../terminal/terminal-output.ts'
import { commands, createApp } from './app.ts'
import { originFlagsIn } from './arguments/origin-flags.ts'
import type { Cli, CliProcess } from './command-context.ts'
import { drawFault, faultOf } from './errors.ts'
import type { Fault } from './errors.ts'
import { exitCodes } from './exit-codes.ts'
import { watchSignals } from './signals.ts'

/** Runs one command line. Everything a command needs from the process comes in here. */
export async function runCli(args: readonly string[], process: CliProcess, version: string): Promise<void> {
  const outputDone = watchOutput(process)
  const words = args.length === 0 ? [await defaultCommand(process)] : args
  await runLine(words, { process, signals: watchSignals(process) }, version)
  outputDone()
}

/** In a terminal the shell opens, and what comes through a pipe is read by it; where there is neither, help is what helps. */
async function defaultCommand({ stdin, stdout, stderr }: CliProcess): Promise<'shell' | '--help'> {
  if (stdin.isTTY) return stdout.isTTY && stderr.isTTY ? 'shell' : '--help'
  const chunk = await new Promise<unknown>((resolve) => {
    stdin.once('readable', () => resolve(stdin.read()))
    for (const event of ['end', 'error']) stdin.once(event, () => resolve(null))
  })
  if (chunk === null) return '--help'
  stdin.unshift(chunk)
  return 'shell'
}

/** One command line in a world that is given. */
export async function runLine(args: readonly string[], cli: Cli, version: string): Promise<void> {
  const { process } = cli
  const words = expandJsonFlag(args)
  const faults: Fault[] = []
  const app = createApp(version, {
    help: `plugboard ${commandPathIn(args)}--help`,
    onFault: (fault) => faults.push(fault),
    origin: originFlagsIn(words),
  })
  if (args[0] === '__complete')
    await (await import('./arguments/complete-words.ts')).complete(app, args.slice(1), cli)
  else await run(app, words, cli)
  // Stricli's own codes for a wrong command line are negative.
  if (typeof process.exitCode === 'number' && process.exitCode < 0) process.exitCode = exitCodes.usage.code
  if (wantsJson(words)) for (const error of faults) await printJson({ error }, process, words)
}

/** Help is written by Stricli, which does not look whether it arrives. What a command says itself is not said again. */
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
  // When stderr fails there is nowhere left to say so.
  process.stderr.on('error', () => undefined)
  return () => {
    isOver = true
    say()
  }
}

/** The result did not arrive. A reader that went away wanted no more of it. */
export function reportUnwritten(error: Error, process: CliProcess): void {
  if (hasNoReader(error)) return
  process.exitCode = exitCodes.failed.code
  process.stderr.write(`${drawFault(faultOf(error))}\n`)
}

/** As far as it can be told of a command line that may be wrong. */
function wantsJson(words: readonly string[]): boolean {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  return words
    .slice(0, end)
    .some(
      (word, at) =>
        /^--(?:json|json=true|format=json)$/.test(word) || (word === 'json' && words[at - 1] === '--format'),
    )
}

/** Where everything before it is a line of JSON, it is one, too. */
async function printJson(
  value: unknown,
  { stdout, stderr, env }: CliProcess,
  words: readonly string[],
): Promise<void> {
  const output = createOutput({ stdout, stderr, env, json: !words.includes('--follow') })
  output.result(value, () => escapeJson(JSON.stringify(value)))
  // What went wrong is said already; that it cannot be printed either adds nothing.
  await output.flush().catch(() => undefined)
}

const nested: Readonly<Record<string, readonly string[]>> = {
  sources: ['list', 'enable', 'disable'],
  cache: ['clear'],
}

/** The command that a wrong command line began with, for its help. */
function commandPathIn([first = '', second = '']: readonly string[]): string {
  if (!Object.hasOwn(commands, first)) return ''
  return nested[first]?.includes(second) ? `${first} ${second} ` : `${first} `
}

/** The flag that `--json '{…}'` stands for; `--json` alone asks for a JSON result. */
const jsonFlags: Readonly<Record<string, string>> = { add: '--entry', call: '--args', prompt: '--args' }

/**
 * `add NAME --json '{…}'` gives the entry, `call TOOL --json '{…}'` the arguments. The `--` before a command is doubled,
 * because Stricli takes the first one away and `add` wants to see it.
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
