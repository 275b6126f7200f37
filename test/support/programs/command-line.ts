import { EventEmitter } from 'node:events'
import { Readable, Writable } from 'node:stream'
import type { CliProcess } from '../../../src/surfaces/cli/command-context.ts'
import { fileURLToPath } from 'node:url'
import type { ProgramResult } from './program.ts'
import { runCli } from '../../../src/surfaces/cli/run-command-line.ts'

export interface CommandLineOptions {
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly stdin?: string | Uint8Array
}

/** The built command line. */
export const cliFile = fileURLToPath(new URL('../../../dist/cli/plugboard.cjs', import.meta.url))

/** The version that a command line in this process prints. */
const version = '0.0.0-source'

/**
 * Runs a command line in this process, from source: with streams, an environment, a home and a folder of its own in place of
 * those of the process. What a whole process adds (its start, compiled code, signals, its end) is tested with `dist`.
 */
export async function runCommandLine(
  args: readonly string[],
  { env, cwd, stdin = '' }: CommandLineOptions,
): Promise<ProgramResult> {
  const stdout = collect()
  const stderr = collect()
  const code = await new Promise<number>((resolve, reject) => {
    const own = Object.assign(new EventEmitter(), {
      stdin: once(stdin),
      stdout: stdout.stream,
      stderr: stderr.stream,
      env,
      argv: [process.execPath, cliFile, ...args],
      exitCode: undefined,
      exit: resolve,
    }) as unknown as CliProcess // the narrow part of a process that commands use
    runCli(args, own, version, { platform: { env, cwd } }).then(
      () => resolve(Number(own.exitCode ?? 0)),
      reject,
    )
  })
  const result = { code, stdout: stdout.text(), stderr: stderr.text() }
  if (result.stderr.includes('failed unexpectedly')) throw new Error(`${args.join(' ')}: ${result.stderr}`)
  return result
}

/** A stream that is not a terminal, with everything that was written to it. */
function collect() {
  const chunks: Buffer[] = []
  const stream = new Writable({
    decodeStrings: true,
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') }
}

function once(content: string | Uint8Array): Readable {
  const bytes = Buffer.from(content)
  const chunks = bytes.length > 0 ? [bytes] : []
  // One at a time: a command that looks at the first chunk puts it back before the end.
  return new Readable({
    read() {
      this.push(chunks.shift() ?? null)
    },
  })
}
