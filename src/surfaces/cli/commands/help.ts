import { Writable } from 'node:stream'
import { outputOf } from '../command-context.ts'
import type { Cli, CliProcess, CommonFlags } from '../command-context.ts'
import { usage } from '../errors.ts'
import { runLine } from '../run-command-line.ts'

declare const __VERSION__: string

/** Prints what `COMMAND --help` prints; an unknown command is refused as everywhere. */
export async function help(cli: Cli, flags: CommonFlags, ...words: string[]): Promise<void> {
  const line = [...words, '--help']
  if (!flags.json) return runLine(line, cli, __VERSION__)
  const captured = captureText(cli.process)
  await runLine(line, { ...cli, process: captured.process }, __VERSION__)
  const [problem = '', ...hint] = captured.stderr().trim().split('\n')
  if (captured.process.exitCode) throw usage(problem, hint.join('\n'))
  const output = outputOf(cli, flags)
  output.result({ command: words.join(' '), text: captured.stdout() }, () => '')
  return output.flush()
}

/** A process whose streams are collected: Stricli writes help to a stream. */
function captureText(process: CliProcess) {
  const [stdout, stderr] = [collect(), collect()]
  const own = { stdout: stdout.stream, stderr: stderr.stream, env: process.env, exitCode: undefined }
  return { process: own as unknown as CliProcess, stdout: stdout.text, stderr: stderr.text } // the part that help uses
}

function collect() {
  let text = ''
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString()
      done()
    },
  })
  return { stream, text: () => text }
}
