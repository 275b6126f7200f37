import { onAbort } from '../model/abort.ts'
import { reveal, revealAll } from '../model/resolved.ts'
import type { ResolvedTransport } from '../model/resolved.ts'
import { openStdio } from '../wire/stdio.ts'
import { WireError } from '../wire/wire-error.ts'
import { talk } from './link.ts'
import type { Link, LinkContext } from './link.ts'
import { startProcess } from './process/server-process.ts'
import type { ServerProcess } from './process/server-process.ts'

type Stdio = ResolvedTransport & { readonly kind: 'stdio' }

const silentMs = 10_000

/** Starts a server's program and greets it. One that dies of the question which era it is of is started again. */
export async function openProcess(
  transport: Stdio,
  context: LinkContext,
  signal: AbortSignal,
): Promise<Link> {
  const { protocol } = context
  try {
    return await open(transport, context, protocol, signal)
  } catch (error) {
    const mayBeTheProbe = protocol === 'auto' && context.remembered === undefined
    if (!mayBeTheProbe || signal.aborted || !isGone(error)) throw error
    return open(transport, context, 'legacy', signal)
  }
}

function isGone(error: unknown): boolean {
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
  const leave = await context.slots.enter(context.urgency, signal)
  let process: ServerProcess | undefined
  let silence: Disposable | undefined
  try {
    on.step('starting')
    const started = await start(transport, context)
    process = started
    signal.throwIfAborted()
    on.step('greeting')
    const channel = openStdio(started.io, { framing: transport.framing, ...limits })
    const { rpc, greet } = talk(channel, context, { signal, finish: () => started.stop() })
    const greeted = greet(protocol)
    leave()
    silence = sayWhenSilent(started, context)
    try {
      return await greeted
    } catch (error) {
      await rpc.close(new WireError('closed', 'The connection was given up.', { cause: error }))
      throw error
    }
  } catch (error) {
    if (process) await letGo(process, context.hurry)
    throw withLastWords(error, process)
  } finally {
    silence?.[Symbol.dispose]()
    leave()
  }
}

/** Waits until it is gone; a second stop makes short work of one that takes its time. */
async function letGo(process: ServerProcess, hurry: AbortSignal): Promise<void> {
  const stopped = process.stop()
  const listening = onAbort(hurry, () => void process.stop())
  await stopped.finally(() => listening[Symbol.dispose]())
}

/** Somebody is waiting: they should know what for, long before the deadline. */
function sayWhenSilent(process: ServerProcess, { platform, on }: LinkContext): Disposable {
  return platform.clock.timer(
    silentMs,
    () => {
      const words = process.stderrTail(3)
      const said = words.length > 0 ? ` It last said: ${words.join(' / ')}` : ''
      on.warned(`No answer for ${silentMs / 1000} s.${said}`)
    },
    { background: true },
  )
}

async function start({ command, args, env, cwd }: Stdio, context: LinkContext): Promise<ServerProcess> {
  const { platform, on, stop } = context
  const process = await startProcess(
    {
      command: reveal(command),
      args: args.map(reveal),
      env: revealAll(env),
      cwd: cwd === undefined ? platform.cwd : reveal(cwd),
    },
    {
      ...platform,
      style: stop,
      redact: (text) => context.redactor.redact(text),
      stderr: {
        onLine: (line) => on.said('stderr', line),
        onLeftOut: (bytes) => on.warned(`${bytes} bytes of its stderr came too fast and are left out.`),
      },
    },
  )
  on.started(process)
  void process.exited.then(() => on.ended(process))
  return process
}

/** A server that was given up before it spoke may have said why on stderr. */
function withLastWords(error: unknown, process: ServerProcess | undefined): unknown {
  if (!(error instanceof WireError) || error.facts.stderr || !process) return error
  const stderr = process.stderrTail()
  if (stderr.length === 0) return error
  const { code, message, sent, facts } = error
  return new WireError(code, message, { sent, facts: { ...facts, stderr }, cause: error })
}
