import { basename } from 'node:path'
import { createOutput } from '../../terminal/terminal-output.ts'
import type { CliProcess } from '../command-context.ts'
import { drawFault, exitOf, faultOf } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { runCli } from '../run-command-line.ts'
import type { ProgramDefinition } from './program-tool.ts'
import { parseProgramWords } from './program-words.ts'

declare const __VERSION__: string

/**
 * Runs a program of `plugboard generate NAME --cli`: its command line becomes one of `plugboard call`, with the same
 * output and exit codes.
 */
export async function runProgram(definition: ProgramDefinition): Promise<void> {
  // Node's process has every member of the narrow interface.
  await runProgramLine(definition, process.argv.slice(2), process as CliProcess)
}

async function runProgramLine(
  definition: ProgramDefinition,
  args: readonly string[],
  process: CliProcess,
): Promise<void> {
  try {
    const request = parseProgramWords(definition, args, nameOf(definition))
    if (request.kind === 'call') return await runCli(request.words, process, __VERSION__, { isProgram: true })
    process.stdout.write(
      request.kind === 'version' ? `${__VERSION__}\n` : await drawHelp(definition, request.tool),
    )
  } catch (error) {
    await reportUsage(error, args, process)
  }
}

/** The program as it was started. */
function nameOf({ server }: ProgramDefinition): string {
  return basename(process.argv[1] ?? server)
}

async function drawHelp(definition: ProgramDefinition, tool?: ProgramDefinition['tools'][number]) {
  const { drawProgramHelp, drawToolHelp } = await import('./program-help.ts')
  const program = nameOf(definition)
  return tool ? drawToolHelp(program, tool) : drawProgramHelp(program, definition)
}

/** A wrong command line; with `--json` the error is a document too, as everywhere. */
async function reportUsage(error: unknown, args: readonly string[], process: CliProcess): Promise<void> {
  const fault = faultOf(error)
  const { stdout, stderr, env } = process
  process.exitCode = exitCodes[exitOf(error)].code
  stderr.write(`${drawFault(fault)}\n`)
  if (!args.includes('--json')) return
  const output = createOutput({ stdout, stderr, env, json: 'document' })
  output.result({ error: fault }, () => '')
  await output.flush()
}
