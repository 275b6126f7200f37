import { execFileSync, spawn, spawnSync } from 'node:child_process'
import type { ChildProcessByStdio, ExecFileSyncOptions, SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'

export interface ProgramOptions extends Pick<
  SpawnOptions,
  'cwd' | 'env' | 'uid' | 'gid' | 'detached' | 'timeout'
> {
  /** `pipe` for `send`, `write` and `closeInput`. */
  readonly stdin?: 'ignore' | 'pipe'
  /** `inherit` shows it beside the output of the tests. */
  readonly stderr?: 'inherit' | 'pipe'
}

export interface ProgramResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface ProgramEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A process that runs beside the test. Disposing kills it. */
export interface Program extends AsyncDisposable {
  readonly child: ChildProcessByStdio<Writable | null, Readable, Readable | null>
  readonly pid: number
  /** Settles when it has ended and its output is closed. */
  readonly ended: Promise<ProgramEnd>
  readonly result: Promise<ProgramResult>
  stdout(this: void): string
  stderr(this: void): string
  /** The next line of stdout; `undefined` after the end. */
  nextLine(): Promise<string | undefined>
  /** Waits for a text of stdout or stderr after the one that was waited for before. Rejects if it ends without it. */
  printed(what: string | RegExp): Promise<RegExpExecArray>
  /** Waits for the document that a command with `--json` prints, which has several lines. */
  document<Value>(): Promise<Value>
  /** Writes one message of JSON-RPC. */
  send(this: void, message: object): void
  write(this: void, text: string): void
  closeInput(this: void): void
  kill(signal: NodeJS.Signals): Promise<ProgramEnd>
}

export function startProgram(
  command: string,
  args: readonly string[],
  { stdin = 'ignore', stderr = 'pipe', ...options }: ProgramOptions = {},
): Program {
  const child = spawn(command, [...args], {
    ...options,
    stdio: [stdin, 'pipe', stderr],
  }) as Program['child'] // as `stdio` says
  const texts = { stdout: '', stderr: '' }
  const seen = { stdout: 0, stderr: 0 }
  let [taken, isOver] = [0, false]
  let waiting: (() => void)[] = []
  const wake = () => {
    for (const each of waiting.splice(0)) each()
  }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
      texts[name] += chunk
      wake()
    })
  child.stdin?.on('error', () => undefined) // a program that reads nothing may end first
  const ended = once(child, 'close').then(([code, signal]): ProgramEnd => ({ code, signal }))
  const stop = () => {
    isOver = true
    wake()
  }
  void ended.then(stop, stop)

  async function until<T>(find: () => T | undefined): Promise<T | undefined> {
    for (;;) {
      const found = find()
      if (found !== undefined || isOver) return found
      await new Promise<void>((resolve) => (waiting = [...waiting, resolve]))
    }
  }
  function takeLine(): string | undefined {
    const at = texts.stdout.indexOf('\n', taken)
    if (at < 0 && (!isOver || taken === texts.stdout.length)) return undefined
    const line = texts.stdout.slice(taken, at < 0 ? undefined : at)
    taken += line.length + (at < 0 ? 0 : 1)
    return line
  }
  function takeMatch(name: keyof typeof texts, pattern: RegExp): RegExpExecArray | undefined {
    const found = pattern.exec(texts[name].slice(seen[name])) ?? undefined
    if (found) seen[name] += found.index + found[0].length
    return found
  }
  const program: Program = {
    child,
    pid: child.pid ?? 0,
    ended,
    get result() {
      return ended.then(({ code }) => ({ code, ...texts }))
    },
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    nextLine: () => until(takeLine),
    async printed(what) {
      const pattern =
        typeof what === 'string' ? new RegExp(what.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')) : what
      const found = await until(() => takeMatch('stdout', pattern) ?? takeMatch('stderr', pattern))
      if (found) return found
      throw new Error(`${command} ended and never printed ${what}:\n${texts.stdout}${texts.stderr}`)
    },
    document: async <Value>() => JSON.parse((await program.printed(/^\{.*?^\}$/ms))[0]) as Value, // as the test knows it
    send: (message) => program.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    write: (text) => void child.stdin?.write(text),
    closeInput: () => void child.stdin?.end(),
    kill(signal) {
      child.kill(signal)
      return ended
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      // What it started may still hold the other ends.
      child.stdout.destroy()
      child.stderr?.destroy()
    },
  }
  return program
}

/** Runs a program to its end, whatever its exit code. */
export function runProgram(
  command: string,
  args: readonly string[],
  { input = '', ...options }: ProgramOptions & { readonly input?: string | Uint8Array } = {},
): Promise<ProgramResult> {
  const program = startProgram(command, args, { ...options, stdin: 'pipe' })
  program.child.stdin?.end(input)
  return program.result
}

/** Runs a tool that must succeed, such as `git` or `mkfifo`, and returns its stdout. */
export function outputOf(
  command: string,
  args: readonly string[],
  options: Pick<ExecFileSyncOptions, 'cwd' | 'env'> = {},
): string {
  return execFileSync(command, args, { ...options, encoding: 'utf8' })
}

/** Whether a tool is installed and ends with 0, for `skipIf`. */
export function succeeds(command: string, args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0
}
