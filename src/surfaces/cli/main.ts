import { acceptsShipped, cacheEnd, cacheName, codeFolders, isOurFolder } from './code-cache.ts'
import type { Chunk } from './code-cache.ts'
import type { CliProcess } from './command-context.ts'
import { preload, uncachedChunks } from './preload.ts'

declare const __VERSION__: string

/** The commands that store compiled code, each with its bit: those that the build compiles. */
const storedCommands: Readonly<Record<string, number>> = { list: 1, tools: 2, call: 4 }

const hostChunks: readonly Chunk[] = ['host', 'connecting']
const args = process.argv.slice(2)
// Node's process has every member of the narrow interface.
const narrowProcess = process as CliProcess

if (args.length === 1 && (args[0] === '--version' || args[0] === '-v'))
  process.stdout.on('error', (error) => void refuse(error)).write(`${__VERSION__}\n`)
else if (args[0] === '__desk') void runDesk()
else if (args[0] === 'gateway') void startGateway()
else void start()

/** A client starts this often, and most of the time only to be connected with a gateway that runs already. */
async function startGateway(): Promise<void> {
  // Below a host it may be a server of itself: the command finds out.
  if (process.env['PLUGBOARD_STARTED'] !== undefined) return start()
  // On another Node it is compiled: looking for stored code takes longer.
  if (acceptsShipped()) preload(import.meta.dirname, 'shim')
  const { readShimArguments, serveThroughDesk } = await import('../gateway/desk/desk-shim.ts')
  const request = readShimArguments(args.slice(1))
  if (!request) return start()
  const problem = await serveThroughDesk(request, { version: __VERSION__, entry: import.meta.filename })
  if (!problem) return
  process.stderr.write(`The shared gateway is not used: ${problem.failure}\n`)
  args.push('--alone')
  await start()
}

/** The process that the shim starts. */
async function runDesk(): Promise<void> {
  for (const chunk of ['start', ...hostChunks] as const) preload(import.meta.dirname, chunk)
  const { runDesk: run } = await import('../gateway/desk/run-desk.ts')
  await run(args[1] ?? 'default')
}

async function start(): Promise<void> {
  const [command = ''] = args
  for (const chunk of chunksOf(command)) preload(import.meta.dirname, chunk)
  const { runCli } = await import('./run-command-line.ts')
  const loadHost = () => {
    for (const chunk of hostChunks) preload(import.meta.dirname, chunk)
  }
  await runCli(args, narrowProcess, __VERSION__, { loadHost })
  const bit = storedCommands[command]
  if (bit === undefined || process.exitCode) return
  const uncached = uncachedChunks.filter(({ commands }) => !(commands & bit))
  if (uncached.length === 0) return
  const { storeCode } = await import('./store-code.ts')
  storeCode(uncached, bit, { cacheEnd, cacheName, codeFolders, isOurFolder })
}

/** The chunks that a command needs. Loading code is half of the run time of commands that only read files. */
function chunksOf(command: string): readonly Chunk[] {
  if (command === 'call') return ['start', ...hostChunks]
  return ['tools', 'tool', 'search'].includes(command) ? ['start', 'host'] : ['start']
}

async function refuse(error: Error): Promise<void> {
  const { reportUnwritten } = await import('./run-command-line.ts')
  reportUnwritten(error, narrowProcess)
}
