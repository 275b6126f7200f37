import { onAbort } from '../model/abort.ts'
import { reveal, revealAll } from '../model/resolved.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import { openStdio } from '../wire/stdio.ts'
import { WireError } from '../wire/wire-error.ts'
import { startRpc } from './link.ts'
import type { Link, LinkContext } from './link.ts'
import { startProcess } from './process/server-process.ts'
import type { ServerProcess } from './process/server-process.ts'

type Stdio = ResolvedTransport & { readonly kind: 'stdio' }

const silentMs = 10_000

/** Starts a server's program and greets it. If the program exits on the era probe, it is started again as legacy. */
export async function openProcess(
  transport: Stdio,
  context: LinkContext,
  signal: AbortSignal,
): Promise<Link> {
  const { protocol } = context
  try {
    return await open(transport, context, protocol, signal)
  } catch (error) {
    const mayBeCausedByProbe = protocol === 'auto' && context.remembered === undefined
    if (!mayBeCausedByProbe || signal.aborted || !hasExited(error)) throw error
    return open(transport, context, 'legacy', signal)
  }
}

function hasExited(error: unknown): boolean {
  return error instanceof WireError && (error.code === 'exit' || error.code === 'closed')
}

async function open(
  transport: Stdio,
  context: LinkContext,
  protocol: LinkContext['server']['protocol'],
  signal: AbortSignal,
): Promise<Link> {
  const { on, limits } = context
  on.step('queued')
  const leaveSlot = await context.slots.enter(context.urgency, signal)
  let process: ServerProcess | undefined
  let silenceTimer: Disposable | undefined
  try {
    on.step('starting')
    const started = await start(transport, context)
    process = started
    signal.throwIfAborted()
    on.step('greeting')
    const channel = openStdio(started.io, { framing: transport.framing, ...limits })
    let use: 'used' | 'unused' = 'unused'
    const { rpc, greet } = startRpc(channel, context, { signal, finish: () => started.stop(use) })
    const greeted = greet(protocol)
    leaveSlot()
    silenceTimer = warnWhenSilent(started, context)
    try {
      const link = await greeted
      use = 'used'
      await started.greeted?.()
      return link
    } catch (error) {
      await rpc.close(new WireError('closed', 'The connection was given up.', { cause: error }))
      throw error
    }
  } catch (error) {
    silenceTimer?.[Symbol.dispose]()
    if (process) await stopUnused(process, context.hurry)
    throw withNote(withStderrTail(error, process), transport)
  } finally {
    silenceTimer?.[Symbol.dispose]()
    leaveSlot()
  }
}

/** Waits until the program has exited; `hurry` cuts its grace period short. */
async function stopUnused(process: ServerProcess, hurry: AbortSignal): Promise<void> {
  const stopped = process.stop('unused')
  const listener = onAbort(hurry, () => void process.stop())
  await stopped.finally(() => listener[Symbol.dispose]())
}

/** Tells a waiting person what the server is doing, long before the deadline. */
function warnWhenSilent(process: ServerProcess, { platform, on }: LinkContext): Disposable {
  return platform.clock.timer(
    silentMs,
    () => {
      const lines = process.stderrTail(3)
      const said = lines.length > 0 ? ` It last said: ${lines.join(' / ')}` : ''
      on.warned(`No answer for ${silentMs / 1000} s.${said}`)
    },
    { background: true },
  )
}

async function start(
  { command, args, env, cwd, handed, container }: Stdio,
  context: LinkContext,
): Promise<ServerProcess> {
  const { platform, on, stop } = context
  const options = {
    command: reveal(command),
    args: args.map(reveal),
    env: revealAll(env),
    cwd: cwd === undefined ? platform.cwd : reveal(cwd),
    ...(handed !== undefined && { handed }),
  }
  const startAlone = () =>
    startProcess(options, {
      ...platform,
      style: stop,
      redact: (text) => context.redactor.redact(text),
      onLeft: (result) => on.left(result),
      stderr: {
        onLine: (line) => on.said('stderr', line),
        onSkipped: (bytes) => on.warned(`${bytes} bytes of its stderr arrived too fast and were skipped.`),
      },
    })
  const process = container
    ? await (await import('./runner/container-life.ts')).startContainer(container, startAlone, platform)
    : await startAlone()
  on.started(process)
  void process.exited.then(() => on.ended(process))
  return process
}

function withNote(error: unknown, { note }: Stdio): unknown {
  if (note === undefined || !(error instanceof WireError)) return error
  const { code, message, sent, facts, cause } = error
  return new WireError(code, message, { sent, facts: { ...facts, note }, cause })
}

/** A server that failed before its greeting may have written the reason to stderr. */
function withStderrTail(error: unknown, process: ServerProcess | undefined): unknown {
  if (!(error instanceof WireError) || error.facts.stderr || !process) return error
  const stderr = process.stderrTail()
  if (stderr.length === 0) return error
  const { code, message, sent, facts } = error
  return new WireError(code, message, { sent, facts: { ...facts, stderr }, cause: error })
}
