import type { Exit } from '../model/exit.ts'
import type { Child, Clock, Duplex, Processes, Spawn, SpawnOptions } from '../platform/platform.ts'
import { WireError } from '../wire/wire-error.ts'
import { createStopping, defaultStop, withinMs } from './process-stop.ts'
import type { Stopped, StopStyle } from './process-stop.ts'
import { createStderrRing } from './stderr-ring.ts'
import type { StderrListener, StderrRing } from './stderr-ring.ts'

interface Surroundings {
  readonly spawn: Spawn
  readonly clock: Clock
  readonly processes: Processes
  readonly style?: StopStyle
  readonly stderr?: StderrListener
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

  const exited = exitWithLastWords(child, around.clock)
  const stopping = createStopping(child, { ...around, style: around.style ?? defaultStop })
  // FI-02: a server whose first process is gone is gone, whoever still holds its pipes.
  void child.exited.then(() => stopping.begin()).catch(() => undefined)
  return {
    pid: child.pid,
    startMark: child.startMark,
    command: child.command,
    io: withExit(child.io, { exited, ring, clock: around.clock }),
    exited,
    stderrTail: (lines = tailLines) => ring.tail(lines),
    stop: () => stopping.ask(),
  }
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
    ring,
    clock,
  }: { readonly exited: Promise<Exit>; readonly ring: StderrRing; readonly clock: Clock },
): Duplex {
  return {
    write: (text) => io.write(text),
    onDrain: (listener) => io.onDrain(listener),
    onData: (listener) => io.onData(listener),
    end: () => io.end(),
    destroy: () => io.destroy(),
    onEnd(listener) {
      io.onEnd((error) => {
        void withinMs(togetherMs, exited, clock).then((exit) => {
          listener(exit ? toWireError(exit, ring.tail(tailLines), error) : error)
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
