import type { CliProcess } from './command-context.ts'
import { preload } from './preload.ts'

declare const __VERSION__: string

const args = process.argv.slice(2)
// Node's process has every member of the narrow interface.
const narrowProcess = process as CliProcess

if (args.length === 1 && (args[0] === '--version' || args[0] === '-v'))
  process.stdout.on('error', (error) => void refuse(error)).write(`${__VERSION__}\n`)
else void start()

async function start(): Promise<void> {
  preload(import.meta.dirname, 'start')
  if (usesHost(args[0])) preload(import.meta.dirname, 'host')
  const { runCli } = await import('./run-command-line.ts')
  await runCli(args, narrowProcess, __VERSION__)
}

/** Commands that mostly read offers from disk; loading code is half of their run time, so it is preloaded. */
function usesHost(command = ''): boolean {
  return ['tools', 'tool', 'search', 'call'].includes(command)
}

async function refuse(error: Error): Promise<void> {
  const { reportUnwritten } = await import('./run-command-line.ts')
  reportUnwritten(error, narrowProcess)
}
