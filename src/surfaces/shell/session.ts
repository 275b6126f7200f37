import type { Diagnostic, Host, HostEvent } from '../../index.ts'
import type { Output } from '../terminal/terminal-output.ts'
import { toIntent } from './intent.ts'
import type { Intent } from './intent.ts'
import { operations, reloadAfterChange, reconnectServer } from './operations.ts'
import type { OperationContext } from './operations.ts'
import { drawHelp } from './shell-help.ts'
import { splitLine } from './words.ts'

/** The progress line of a running command. */
export interface CommandWaitLine {
  onEvent(this: void, event: HostEvent): void
  mute(isMuted: boolean): void
}

/** What the shell provides to its commands. */
export interface RunnerSession {
  readonly host: Host
  readonly conversation: string
  listen(waiting: CommandWaitLine): Disposable
  /** With piped input: the next line, for a command that needs one. Undefined at the end of the input. */
  nextLine?(this: void): Promise<string | undefined>
  streams(): {
    readonly stdin: NodeJS.ReadStream
    readonly stdout: NodeJS.WriteStream
    readonly stderr: NodeJS.WriteStream
  }
}

/** Runs the commands of the command line within the shell. */
export interface ShellRunner {
  readonly commands: ReadonlyMap<string, string>
  run(words: readonly string[]): Promise<number>
  cancel(): void
  complete(words: readonly string[]): Promise<readonly string[]>
  drawFailure(error: unknown): string
  /** The exit code of a line that depends on files with these problems. */
  codeForFiles(diagnostics: readonly Diagnostic[]): number
}

export interface SessionOptions {
  readonly host: Host
  readonly runner: ShellRunner
  readonly output: Output
  /** Reserves the terminal for a command that asks questions itself. */
  readonly holdTerminal: () => Promise<Disposable>
  /** Called with the words of a line before it runs; disposed after it. */
  readonly beginLine?: (words: readonly string[]) => Promise<Disposable>
}

export interface Session {
  /** Executes a line and returns its exit code; `leave` ends the shell. */
  execute(line: string): Promise<number | 'leave'>
  /** Ctrl-C: cancels the running command. */
  cancel(this: void): void
}

/** Commands after which the host reloads: they change declarations or trust. */
export const changingCommands = [
  'add',
  'remove',
  'enable',
  'disable',
  'import',
  'sources',
  'trust',
  'untrust',
]
/** Commands that ask questions themselves. */
const askingCommands = [
  'add',
  'import',
  'export',
  'trust',
  'review',
  'login',
  'logout',
  'answer',
  'conversations',
  'store',
]

const failureCode = 1
const usageCode = 2

export function createSession(options: SessionOptions): Session {
  const { host, runner, output, holdTerminal, beginLine } = options
  let lineAbort = new AbortController()
  const context = (): OperationContext => ({ host, output, signal: lineAbort.signal })
  const runCommand = async (words: readonly string[]): Promise<number> => {
    const [name = ''] = words
    const turn = askingCommands.includes(name) ? await holdTerminal() : undefined
    const code = await runner.run(words).finally(() => turn?.[Symbol.dispose]())
    if (code === 0 && /^log(?:in|out)$/.test(name)) await reconnectServer(context(), words)
    if (code === 0 && changingCommands.includes(name)) await reloadAfterChange(context())
    return code
  }
  const perform = async (intent: Intent): Promise<number | 'leave'> => {
    switch (intent.kind) {
      case 'nothing':
        return 0
      case 'leave':
        return 'leave'
      case 'help':
        if (intent.about !== undefined && runner.commands.has(intent.about))
          return runner.run([intent.about, '--help'])
        output.text(({ style, width }) => drawHelp(style, width))
        return 0
      case 'operation':
        await operations[intent.name](context(), intent.words)
        return intent.name === 'restart' || intent.name === 'stop'
          ? 0
          : runner.codeForFiles(host.discovery.diagnostics)
      case 'command':
        return runCommand(intent.words)
      case 'unknown':
        output.error(`"${intent.word}" is not available here. ${intent.hint}`)
        return usageCode
      default:
        return intent satisfies never
    }
  }
  return {
    async execute(line) {
      lineAbort = new AbortController()
      const words = splitLine(line)
      const running = await beginLine?.(words)
      try {
        const code = await perform(toIntent(words, { commands: runner.commands, host }))
        await output.flush()
        return code
      } catch (error) {
        output.fault(host.redact(runner.drawFailure(error)))
        return failureCode
      } finally {
        running?.[Symbol.dispose]()
      }
    },
    cancel() {
      lineAbort.abort()
      runner.cancel()
    },
  }
}
