import type { Exit } from '../../model/exit.ts'
import { newStartTag, startTagVariable, withStartTag } from '../../platform/start-tag.ts'
import type {
  Child,
  Clock,
  Duplex,
  Env,
  Os,
  Processes,
  Spawn,
  SpawnOptions,
} from '../../platform/platform.ts'
import { WireError } from '../../wire/wire-error.ts'
import { createStopper, defaultStop, raceTimeout } from './process-stop.ts'
import type { StopResult, StopStyle } from './process-stop.ts'
import { createStderrRing } from './stderr-ring.ts'
import type { StderrListener } from './stderr-ring.ts'

interface ProcessDependencies {
  readonly spawn: Spawn
  readonly clock: Clock
  readonly processes: Processes
  readonly os: Os
  /** Our own environment: a host that runs in a server of another host has a tag there. */
  readonly env: Env
  readonly style?: StopStyle
  /** Called if processes are, or may be, still running after a stop. */
  readonly onLeft?: (result: StopResult) => void
  readonly stderr?: StderrListener
  /** The stderr tail goes into errors and statuses, which must not contain secrets (T35). */
  readonly redact?: (text: string) => string
}

export interface ServerProcess {
  readonly pid: number
  readonly startMark: string
  /** Identifies this start in the environment of everything that the program starts; empty where that cannot be read. */
  readonly tag: string
  /** The absolute path of the program. */
  readonly command: string
  /** If it ends because the program exited, its error is a `WireError` with the exit. */
  readonly io: Duplex
  /** Settles when the program has exited and its last output was read. */
  readonly exited: Promise<Exit>
  stderrTail(lines?: number): readonly string[]
  /** Ends the program and everything it started. A second call does not wait. */
  stop(use?: 'used' | 'unused'): Promise<StopResult>
  /** Called after the greeting: what only the start needed is removed. */
  greeted?(): Promise<void>
}

/** A pipe ends slightly before or after its program. */
const drainGraceMs = 50
const tailLines = 20

/** Starts a server's program and supervises it until none of its processes is left. Rejects with a `SpawnError`. */
export async function startProcess(
  options: SpawnOptions,
  dependencies: ProcessDependencies,
): Promise<ServerProcess> {
  const { os, env, onLeft } = dependencies
  const newTag = newStartTag()
  const tag = os === 'linux' ? newTag : ''
  const child = await dependencies.spawn({
    ...options,
    env: { ...options.env, [startTagVariable]: withStartTag(env[startTagVariable], newTag) },
  })
  const ring = createStderrRing(dependencies.clock, dependencies.stderr)
  child.onStderr((chunk) => ring.push(chunk))
  void child.drained.then(() => ring.end())

  const tail = (lines: number) => redactLines(ring.tail(lines), dependencies)
  const exited = exitAfterDrain(child, dependencies.clock)
  const { style = defaultStop } = dependencies
  const stopper = createStopper(child, { ...dependencies, style, tag, onLeft })
  // FI-02: the server counts as exited with its first process, even if another process still holds its pipes.
  void child.exited.then(() => stopper.start()).catch(() => undefined)
  return {
    pid: child.pid,
    startMark: child.startMark,
    tag,
    command: child.command,
    io: withExit(child.io, { exited, tail, clock: dependencies.clock, style }),
    exited,
    stderrTail: (lines = tailLines) => tail(lines),
    stop: (use) => stopper.stop(use),
  }
}

/** All lines together, because a secret may span several lines. */
function redactLines(lines: readonly string[], { redact }: ProcessDependencies): readonly string[] {
  return redact && lines.length > 0 ? redact(lines.join('\n')).split('\n') : lines
}

async function exitAfterDrain(child: Child, clock: Clock): Promise<Exit> {
  const exit = await child.exited
  await raceTimeout(drainGraceMs, child.drained, clock)
  return exit
}

/** The pipes, with an end that carries the exit. */
function withExit(
  io: Duplex,
  {
    exited,
    tail,
    clock,
    style,
  }: {
    readonly exited: Promise<Exit>
    readonly tail: (lines: number) => readonly string[]
    readonly clock: Clock
    readonly style: StopStyle
  },
): Duplex {
  return {
    write: (text) => io.write(text),
    onDrain: (listener) => io.onDrain(listener),
    onData: (listener) => io.onData(listener),
    // Where SIGTERM comes immediately (B22), it comes before the end of the input.
    end: () => void (style.eofGraceMs > 0 && io.end()),
    destroy: () => io.destroy(),
    onEnd(listener) {
      io.onEnd((error) => {
        void raceTimeout(drainGraceMs, exited, clock).then((exit) => {
          listener(exit ? toWireError(exit, tail(tailLines), error) : error)
        })
      })
    },
  }
}

function toWireError(exit: Exit, stderr: readonly string[], cause: Error | undefined): WireError {
  const how = exit.signal === null ? `exit code ${exit.code}` : exit.signal
  return new WireError('exit', `The server ended with ${how}.`, {
    sent: true,
    facts: { exit, stderr },
    cause,
  })
}
