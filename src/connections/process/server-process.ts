import type { Exit } from '../../model/exit.ts'
import type { Child, Clock, Duplex, Processes, Spawn, SpawnOptions } from '../../platform/platform.ts'
import { WireError } from '../../wire/wire-error.ts'
import { createStopping, defaultStop, withinMs } from './process-stop.ts'
import type { Stopped, StopStyle } from './process-stop.ts'
import { createStderrRing } from './stderr-ring.ts'
import type { StderrListener } from './stderr-ring.ts'

interface Surroundings {
  readonly spawn: Spawn
  readonly clock: Clock
  readonly processes: Processes
  readonly style?: StopStyle
  readonly stderr?: StderrListener
  /** Last words go into errors and states, where no secret may go (T35). */
  readonly redact?: (text: string) => string
}

export interface ServerProcess {
  readonly pid: number
  readonly startMark: string
  /** The absolute path of what was started. */
  readonly command: string
  /** When it ends because the program did, its error is a `WireError` that tells how. */
  readonly io: Duplex
  /** Settles when the program is gone and what it said last was read. */
  readonly exited: Promise<Exit>
  stderrTail(lines?: number): readonly string[]
  /** Ends it with everything it started. A second call does not wait any longer. */
  stop(): Promise<Stopped>
}

/** A pipe ends a moment before or after its program does. */
const togetherMs = 50
const tailLines = 20

/** Starts a server's program and watches over it until nothing of it is left. Rejects with a `SpawnError`. */
export async function startProcess(options: SpawnOptions, around: Surroundings): Promise<ServerProcess> {
  const child = await around.spawn(options)
  const ring = createStderrRing(around.clock, around.stderr)
  child.onStderr((chunk) => ring.push(chunk))
  void child.drained.then(() => ring.end())

  const tail = (lines: number) => redactLines(ring.tail(lines), around)
  const exited = exitWithLastWords(child, around.clock)
  const { style = defaultStop } = around
  const stopping = createStopping(child, { ...around, style })
  // FI-02: a server whose first process is gone is gone, whoever still holds its pipes.
  void child.exited.then(() => stopping.begin()).catch(() => undefined)
  return {
    pid: child.pid,
    startMark: child.startMark,
    command: child.command,
    io: withExit(child.io, { exited, tail, clock: around.clock, style }),
    exited,
    stderrTail: (lines = tailLines) => tail(lines),
    stop: () => stopping.ask(),
  }
}

/** Together, because a secret may go over several lines. */
function redactLines(lines: readonly string[], { redact }: Surroundings): readonly string[] {
  return redact && lines.length > 0 ? redact(lines.join('\n')).split('\n') : lines
}

async function exitWithLastWords(child: Child, clock: Clock): Promise<Exit> {
  const exit = await child.exited
  await withinMs(togetherMs, child.drained, clock)
  return exit
}

/** The pipes as they are, but their end tells why. */
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
    // Where SIGTERM comes at once (B22), it comes before the end of the input.
    end: () => void (style.eofGraceMs > 0 && io.end()),
    destroy: () => io.destroy(),
    onEnd(listener) {
      io.onEnd((error) => {
        void withinMs(togetherMs, exited, clock).then((exit) => {
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
