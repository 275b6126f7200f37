import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { CommandContext, StricliProcess } from '@stricli/core'
import type { Diagnostic, Host, Platform, PresetName } from '../../index.ts'
import type { JsonForm } from '../terminal/json-document.ts'
import { inShell } from '../terminal/shell-words.ts'
import { createOutput } from '../terminal/terminal-output.ts'
import type { Output } from '../terminal/terminal-output.ts'
import { createPrompts } from '../terminal/terminal-prompts.ts'
import type { Prompts } from '../terminal/terminal-prompts.ts'
import { withSameFlags } from './arguments/origin-flags.ts'
import { usage } from './errors.ts'
import { exitCodes } from './exit-codes.ts'
import type { Exit } from './exit-codes.ts'
import type { WaitLine } from './output/waiting.ts'
import type { Signals } from './signals.ts'

/** The context of a command besides its flags: a narrow, injectable process and its signals. */
export interface Cli extends CommandContext {
  readonly process: CliProcess
  readonly signals: Signals
  /** The outside world for the library, if it is not that of this process: a test runs many command lines in one. */
  readonly platform?: Partial<Platform>
  /** During completion: the flags typed so far. */
  readonly given?: CommonFlags
  /** During completion: the finished words of the command that are not flags. */
  readonly typed?: readonly string[]
  readonly live?: LiveShell
  /** In a generated program: the first word of `call` is a ref and the others are arguments, whatever they contain. */
  readonly isProgram?: boolean
  /** Loads the code of the host with what was compiled of it ahead of time, for a command that needs it late. */
  readonly loadHost?: () => void
  /** Collects the broken files that the command met; `--json` prints them also beside an error. */
  readonly brokenFiles?: Diagnostic[]
}

/** The shell that runs the command, with a host that outlives it. */
export interface LiveShell {
  readonly host: Host
  readonly conversation: string
  /** Flags given to the shell; they apply to each of its lines. */
  readonly flags: CommonFlags
  /** Sends the host's events to the wait line of a running command; it is muted while a question is on the screen. */
  listen(waitLine: WaitLine): Disposable
  /** For piped input: takes the next line as input of the command; `undefined` at the end of the input. */
  nextLine?(this: void): Promise<string | undefined>
}

export interface CliProcess extends StricliProcess, Pick<NodeJS.Process, 'argv' | 'on' | 'off' | 'exit'> {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: Readonly<Partial<Record<string, string>>>
}

/** Flags that every command has. */
export interface CommonFlags {
  readonly json?: boolean
  readonly quiet?: boolean
  readonly preset?: PresetName
  readonly cwd?: string
  readonly config?: string
  readonly source?: readonly string[]
  readonly trust?: boolean
  readonly scope?: Scope
}

export type Scope = 'user' | 'project'

/** Flags of commands that wait for a server. */
export interface WaitFlags extends CommonFlags {
  /** Milliseconds. */
  readonly timeout?: number
  /** `ID=VALUE` each. */
  readonly input?: readonly string[]
}

/** Flags of commands that can use a server that no config declares. */
export interface GivenServerFlags {
  /** Its command, or its address. */
  readonly stdio?: string
  readonly url?: string
  /** `K=V` each. */
  readonly env?: readonly string[]
  readonly header?: readonly string[]
  /** The name under which that server is added to the person's own file. */
  readonly keep?: string
}

/** Where the command line was started: what relative paths of results start at, whatever `--cwd` says. */
export function startOf({ platform }: Cli): string {
  return platform?.cwd ?? '.'
}

/** The absolute folder of a command: its `--cwd`, or where it was started. */
export function folderOf({ platform }: Cli, { cwd = '.' }: Pick<CommonFlags, 'cwd'> = {}): string {
  return resolve(platform?.cwd ?? '.', cwd)
}

/** The platform of the command line as an option of the library. */
export function givenPlatform({ platform }: Cli): { platform?: Partial<Platform> } {
  return platform ? { platform } : {}
}

/** Where a command runs, as options of the library. */
export interface CommandWorld {
  readonly cwd: string
  readonly platform?: Partial<Platform>
}

export function worldOf(cli: Cli, flags: Pick<CommonFlags, 'cwd'> = {}): CommandWorld {
  return { cwd: folderOf(cli, flags), ...givenPlatform(cli) }
}

/** The output of a command. The result of a command that goes on, such as `logs --follow`, is a stream of lines. */
export function outputOf(
  cli: Cli,
  flags: CommonFlags,
  { form = 'document', given = {} }: { readonly form?: JsonForm; readonly given?: GivenServerFlags } = {},
): Output {
  const { process, live } = cli
  const { json = false, quiet = false, preset, config, source } = flags
  const { stdout, stderr, env } = process
  const here = { cwd: folderOf(cli, flags), home: env['HOME'] ?? env['USERPROFILE'] }
  const origin = {
    ...(preset !== undefined && { preset }),
    ...(config !== undefined && { config }),
    ...(source && { source }),
    ...(given.stdio !== undefined && { stdio: given.stdio }),
    ...(given.url !== undefined && { url: given.url }),
    ...(given.env && { env: given.env }),
    ...(given.header && { header: given.header }),
  }
  const proposed = (text: string) => (live ? inShell(text) : withSameFlags(text, origin))
  return createOutput({ stdout, stderr, env, json: json ? form : undefined, quiet, here, proposed })
}

export function setExit({ process }: Cli, exit: Exit): void {
  process.exitCode = exitCodes[exit].code
}

/** Questions go to stderr, so that stdout holds the result alone. */
export function promptsOf({ process }: Cli, signal?: AbortSignal): Prompts {
  const isPlain = process.env['TERM'] === 'dumb'
  return createPrompts({ stdin: process.stdin, stdout: process.stderr, signal, isPlain })
}

/** Whether questions can be asked: stdin and stderr are terminals. */
export function isInteractive({ process }: Cli): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

/** Rejects a missing `--cwd` as a usage error; it would otherwise look like a folder without servers. */
export function checkFolder(cwd: string): void {
  try {
    if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) return
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw usage(
      `The folder ${resolve(cwd)} cannot be used${code}.`,
      'Give yourself permission, or use another.',
    )
  }
  throw usage(`There is no folder ${resolve(cwd)}.`)
}

/** Splits one `--input ID=VALUE`. */
export function parseAnswer(item: string): readonly [string, string] {
  const at = item.indexOf('=')
  if (at < 1) throw usage('--input takes ID=VALUE.')
  return [item.slice(0, at), item.slice(at + 1)]
}

/** The values of `--input` as the library's `answers` option. */
export function answersOf({ input }: Pick<WaitFlags, 'input'>): { answers?: Record<string, string> } {
  return input ? { answers: Object.fromEntries(input.map(parseAnswer)) } : {}
}
