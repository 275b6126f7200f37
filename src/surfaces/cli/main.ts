import type { CliProcess } from './context.ts'
import { preload } from './preload.ts'

declare const __VERSION__: string

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-v'))
  process.stdout.write(`${__VERSION__}\n`)
else void start()

async function start(): Promise<void> {
  preload(import.meta.dirname)
  const { runCli } = await import('./app.ts')
  // Node's own process has every part of the narrow one.
  await runCli(args, process as CliProcess, __VERSION__)
}
