import { join } from 'node:path'
import { isStringArray, parseObject } from '../../model/json.ts'
import type { StartedContainer } from '../../model/resolved.ts'
import type { Clock, Env, Files, Platform, ProcessMark, Processes } from '../../platform/platform.ts'
import { WireError } from '../../wire/wire-error.ts'
import type { ServerProcess } from '../process/server-process.ts'

type Place = Pick<StartedContainer, 'engine' | 'options' | 'folder'>

/**
 * Starts the client of a container. SIGKILL ends the client alone: the container belongs to a daemon, or to a process outside of
 * our group. So the engine is told to remove it when the client has ended, by the id that it wrote to a file.
 */
export async function startContainer(
  container: StartedContainer,
  startClient: () => Promise<ServerProcess>,
  platform: Pick<Platform, 'files' | 'processes' | 'run'>,
): Promise<ServerProcess> {
  const { files } = platform
  const { folder, envFile, engine, options, variables } = container
  const { pid, startMark, machine } = await platform.processes.self()
  await files.makePrivateDirectory(folder)
  await writePrivate(
    files,
    join(folder, ownerName),
    JSON.stringify({ pid, startMark, machine, engine, options }),
  )
  await writePrivate(files, envFile, variables.reveal())
  const client = await startClient().catch(async (error: unknown) => {
    await files.removeFolder(folder)
    throw error
  })
  let ending: Promise<void> | undefined
  const end = () => (ending ??= endContainer(container, { ...platform, env: container.env }))
  void client.exited.then(end).catch(() => undefined)
  return {
    ...client,
    io: {
      ...client.io,
      onEnd: (listener) => client.io.onEnd((error) => listener(withMemory(error, container))),
    },
    async stop(use) {
      const result = await client.stop(use)
      await end()
      return result
    },
    greeted: () => files.remove(envFile).catch(() => undefined),
  }
}

/** The kernel ends a container that needs more memory than it may have with SIGKILL, which the engine reports as 128 + 9. */
function withMemory(error: Error | undefined, { memory }: StartedContainer): Error | undefined {
  if (memory === undefined || !(error instanceof WireError) || error.facts.exit?.code !== 137) return error
  const note = `It was killed, perhaps because it needed more than its limit of ${memory} of memory.`
  const { code, message, sent, facts, cause } = error
  return new WireError(code, message, { sent, facts: { ...facts, note }, cause })
}

/** Says whose a folder is, for the sweep after a host was killed. */
const ownerName = 'owner.json'

function writePrivate(files: Files, path: string, text: string): Promise<unknown> {
  return files.writeBytes(path, new TextEncoder().encode(text), { mode: 0o600 })
}

const engineMs = 20_000

/** Removes a container, running or not, and the files of its start. The files stay if the engine could not be asked. */
async function endContainer(
  { engine, options, folder }: Place,
  { files, run, env }: Pick<Platform, 'files' | 'run' | 'env'>,
): Promise<void> {
  const found = await files.readText(join(folder, 'cid'))
  const id = found.kind === 'text' ? found.text.trim() : ''
  if (/^[0-9a-f]{12,64}$/.test(id)) {
    // podman would wait 10 s for the container; docker does not.
    const how = engine === 'podman' ? ['--ignore', '--time', '0'] : []
    const command = [engine, ...options, 'rm', '--force', ...how, id]
    const result = await run(command, { cwd: '/', env, timeoutMs: engineMs, maxBytes: 64 * 1024 })
    if (result.kind === 'failed' && result.reason !== 'exit') return
  }
  await files.removeFolder(folder)
}

interface SweepContext {
  readonly files: Files
  readonly processes: Processes
  readonly clock: Pick<Clock, 'now'>
  readonly run: Platform['run']
  readonly env: Env
}

/** Files without a readable owner, or of another machine, are removed after this time. */
const foreignMs = 7 * 24 * 60 * 60 * 1000

/** Removes the containers, and the files with variables, of hosts that were killed (FI-24). */
export async function sweepContainers(directory: string, context: SweepContext): Promise<void> {
  const { files, processes, clock } = context
  const { machine } = await processes.self()
  for (const name of await files.list(directory)) {
    const folder = join(directory, name)
    const owner = await readOwner(folder, files)
    if (owner?.machine === machine) {
      const isRunning = (await processes.startMarkOf(owner.pid)) === owner.startMark
      if (!isRunning) await endContainer({ ...owner, folder }, context)
    } else {
      const stat = await files.stat(folder)
      if (stat && clock.now() - stat.mtimeMs > foreignMs) await files.removeFolder(folder)
    }
  }
}

interface Owner extends ProcessMark, Omit<Place, 'folder'> {
  readonly machine: string
}

async function readOwner(folder: string, files: Files): Promise<Owner | undefined> {
  const found = await files.readText(join(folder, ownerName))
  const value = found.kind === 'text' ? parseObject(found.text) : undefined
  if (!value) return undefined
  const { pid, startMark, machine, engine, options } = value
  if (typeof pid !== 'number' || typeof startMark !== 'string' || typeof machine !== 'string')
    return undefined
  if ((engine !== 'podman' && engine !== 'docker') || !isStringArray(options)) return undefined
  return { pid, startMark, machine, engine, options }
}
