import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams, SpawnOptionsWithoutStdio } from 'node:child_process'
import { Writable } from 'node:stream'
import type { Readable } from 'node:stream'
import type { Exit } from '../../model/exit.ts'
import { giveBack } from '../give-back.ts'
import type { Child, Duplex, SpawnOptions } from '../platform.ts'
import { adoptGroup, forgetGroup, isGroupAlive, isPidReused, signalGroup } from './process-groups.ts'
import { startMarkOf } from './processes.ts'
import { findProgram, refuseBadArguments, toSpawnError } from './spawn-error.ts'

/** How long a pipe may stay open after its program has exited (FI-02). */
const pipeGraceMs = 500

/** Starts a program in its own process group, without a shell. Rejects with a `SpawnError`. */
export async function startChild(options: SpawnOptions): Promise<Child> {
  refuseBadArguments(options)
  const program = findProgram(options)
  const child = await start(program, options)
  if (options.handed !== undefined) handOver(child, options.handed)
  const pid = child.pid ?? 0
  adoptGroup(pid)
  const { exited, drained } = endOf(child)
  const startMark = (await startMarkOf(pid)) ?? ''

  let hasExited = false
  let isEmpty = false
  const markEmpty = () => {
    isEmpty = true
    forgetGroup(pid)
  }
  void exited.then(() => {
    hasExited = true
    if (!isGroupAlive(pid)) markEmpty()
  })
  let onStderr: ((chunk: Uint8Array) => void) | undefined
  child.stderr.on('data', (chunk: Uint8Array) => {
    onStderr?.(chunk)
    giveBack(chunk)
  })

  return {
    pid,
    startMark,
    command: program,
    io: openDuplex(child.stdin, child.stdout),
    onStderr(listener) {
      onStderr = listener
    },
    exited,
    drained,
    kill(signal) {
      if (hasExited && !isEmpty && (isPidReused(pid, startMark) || !isGroupAlive(pid))) markEmpty()
      return !isEmpty && signalGroup(pid, signal)
    },
    release: () => release(child),
  }
}

type SpawnedChild = ChildProcessWithoutNullStreams

async function start(program: string, options: SpawnOptions): Promise<SpawnedChild> {
  try {
    const child = isExecutable(program)
      ? spawn(program, options.args, settingsOf(options))
      : await spawnScript(program, options)
    return await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('spawn', () => resolve(child))
    })
  } catch (error) {
    throw toSpawnError(error, program, options)
  }
}

/** Whether the system can start the file directly; a script on Windows needs cross-spawn. */
function isExecutable(program: string): boolean {
  return process.platform !== 'win32' || /\.(?:exe|com)$/i.test(program)
}

async function spawnScript(program: string, options: SpawnOptions): Promise<SpawnedChild> {
  const { spawn: crossSpawn } = await import('cross-spawn')
  return crossSpawn(program, options.args, settingsOf(options))
}

function settingsOf({ cwd, env, handed }: SpawnOptions): SpawnOptionsWithoutStdio {
  return {
    cwd,
    env,
    shell: false,
    detached: process.platform !== 'win32',
    windowsHide: true,
    ...(handed !== undefined && { stdio: ['pipe', 'pipe', 'pipe', 'pipe'] }),
  }
}

/** Writes the text for file descriptor 3. A program that does not read it has already failed. */
function handOver(child: SpawnedChild, text: string): void {
  const stream = child.stdio[3]
  if (!(stream instanceof Writable)) return
  stream.on('error', () => undefined)
  stream.end(text)
}

/** `exited` follows `exit`, because `close` waits for every process that holds a pipe. Pipes are released soon after it. */
function endOf(child: SpawnedChild): Pick<Child, 'exited' | 'drained'> {
  let grace: NodeJS.Timeout | undefined
  const exited = new Promise<Exit>((resolve) => {
    child.on('exit', (code, signal) => {
      grace = setTimeout(() => release(child), pipeGraceMs).unref()
      resolve({ code, signal })
    })
  })
  const drained = new Promise<void>((resolve) => {
    child.on('close', () => {
      clearTimeout(grace)
      resolve()
    })
  })
  child.stderr.on('error', () => undefined)
  return { exited, drained }
}

function release(child: SpawnedChild): void {
  child.stdin.destroy()
  child.stdout.destroy()
  child.stderr.destroy()
  child.unref()
}

/** Delay before an error ends the streams: output written before the program closed its stdin may still arrive. */
const finalOutputMs = 20

/** Combines stdin and stdout of a program. An error of a pipe is never thrown: it ends the pair, once. */
function openDuplex(stdin: Writable, stdout: Readable): Duplex {
  let onData: ((chunk: Uint8Array) => void) | undefined
  let onEnd: ((error?: Error) => void) | undefined
  let failure: Error | undefined
  let isOver = false

  const finish = () => {
    if (isOver) return
    isOver = true
    onData = undefined
    stdout.resume()
    onEnd?.(failure)
  }
  const fail = (error: Error) => {
    failure ??= error
    setTimeout(finish, finalOutputMs).unref()
  }
  stdin.on('error', fail)
  stdout.on('error', fail)
  stdout.on('end', finish)
  stdout.on('close', finish)

  return {
    write: (text) => stdin.writable && stdin.write(text),
    onDrain: (listener) => void stdin.on('drain', listener),
    onData(listener) {
      if (isOver) return
      onData = listener
      stdout.on('data', (chunk: Uint8Array) => {
        onData?.(chunk)
        giveBack(chunk)
      })
    },
    onEnd(listener) {
      onEnd = listener
      if (isOver) queueMicrotask(() => listener(failure))
    },
    end: () => void stdin.end(),
    destroy() {
      stdin.destroy()
      stdout.destroy()
    },
  }
}
