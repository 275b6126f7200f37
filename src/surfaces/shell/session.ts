import type { Host, HostEvent } from '../../index.ts'
import type { Output } from '../terminal/terminal-output.ts'
import { toIntent } from './intent.ts'
import type { Intent } from './intent.ts'
import { operations, rebind, reconnect } from './operations.ts'
import type { OperationContext } from './operations.ts'
import { drawHelp } from './shell-help.ts'
import { splitLine } from './words.ts'

/** What a command shows while it waits. */
export interface CommandWaitLine {
  onEvent(this: void, event: HostEvent): void
  mute(isMuted: boolean): void
}

/** What the shell brings along for its commands. */
export interface RunnerSession {
  readonly host: Host
  readonly conversation: string
  listen(waiting: CommandWaitLine): Disposable
  /** Where lines come through a pipe: the next one, for a command that cannot do without. None: there are no more. */
  nextLine?(this: void): Promise<string | undefined>
  streams(): {
    readonly stdin: NodeJS.ReadStream
    readonly stdout: NodeJS.WriteStream
    readonly stderr: NodeJS.WriteStream
  }
}

/** The commands of the command line, run within the shell. */
export interface ShellRunner {
  readonly commands: ReadonlyMap<string, string>
  run(words: readonly string[]): Promise<number>
  cancel(): void
  complete(words: readonly string[]): Promise<readonly string[]>
  drawFailure(error: unknown): string
}

export interface SessionOptions {
  readonly host: Host
  readonly runner: ShellRunner
  readonly output: Output
  /** Keeps the terminal for a command that asks questions itself. */
  readonly hold: () => Promise<Disposable>
}

export interface Session {
  /** Does what a line says. `leave`: it says that it is enough. */
  execute(line: string): Promise<number | 'leave'>
  /** Ctrl-C: ends what runs. */
  cancel(this: void): void
}

/** After these something else is declared or trusted. */
const changing = ['add', 'remove', 'enable', 'disable', 'import', 'sources', 'trust', 'untrust']
/** These ask a person something themselves. */
const asking = ['add', 'import', 'export', 'trust', 'login', 'logout']

const failed = 1
const wrong = 2

export function createSession({ host, runner, output, hold }: SessionOptions): Session {
  let ending = new AbortController()
  const context = (): OperationContext => ({ host, output, signal: ending.signal })
  const runCommand = async (words: readonly string[]): Promise<number> => {
    const [name = ''] = words
    const turn = asking.includes(name) ? await hold() : undefined
    const code = await runner.run(words).finally(() => turn?.[Symbol.dispose]())
    if (code === 0 && /^log(?:in|out)$/.test(name)) await reconnect(context(), words)
    if (code === 0 && changing.includes(name)) await rebind(context())
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
        output.result('', (_nothing, { style, width }) => drawHelp(style, width))
        return 0
      case 'operation':
        await operations[intent.name](context(), intent.words)
        return 0
      case 'command':
        return runCommand(intent.words)
      case 'unknown':
        output.error(`"${intent.word}" is not understood here. ${intent.hint}`)
        return wrong
      default:
        return intent satisfies never
    }
  }
  return {
    async execute(line) {
      ending = new AbortController()
      try {
        const code = await perform(toIntent(splitLine(line), { commands: runner.commands, host }))
        await output.flush()
        return code
      } catch (error) {
        output.fault(host.redact(runner.drawFailure(error)))
        return failed
      }
    },
    cancel() {
      ending.abort()
      runner.cancel()
    },
  }
}
