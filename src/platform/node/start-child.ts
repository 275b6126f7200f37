import { spawn } from 'node:child_process'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import type { Exit } from '../../model/exit.ts'
import { giveBack } from '../give-back.ts'
import type { Child, Duplex, SpawnOptions } from '../platform.ts'
import { adoptGroup, forgetGroup, isGroupAlive, isNumberTaken, signalGroup } from './process-groups.ts'
import { startMarkOf } from './processes.ts'
import { findProgram, refuseBadArguments, toSpawnError } from './spawn-error.ts'

/** How long a pipe may stay open after the program that it belonged to is gone (FI-02). */
const pipeGraceMs = 500

/** Starts a program in a group of its own, without a shell. Rejects with a `SpawnError`. */
export async function startChild(options: SpawnOptions): Promise<Child> {
  refuseBadArguments(options)
  const program = findProgram(options)
  const child = await start(program, options)
  const pid = child.pid ?? 0
  adoptGroup(pid)
  const { exited, drained } = endOf(child)
  const startMark = (await startMarkOf(pid)) ?? ''

  let isGone = false
  let isEmpty = false
  const forget = () => {
    isEmpty = true
    forgetGroup(pid)
  }
  void exited.then(() => {
    isGone = true
    if (!isGroupAlive(pid)) forget()
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
      if (isGone && !isEmpty && (isNumberTaken(pid, startMark) || !isGroupAlive(pid))) forget()
      return !isEmpty && signalGroup(pid, signal)
    },
    release: () => release(child),
  }
}

type Spawned = ChildProcessWithoutNullStreams

async function start(program: string, options: SpawnOptions): Promise<Spawned> {
  try {
    const child = isPlain(program)
      ? spawn(program, options.args, settingsOf(options))
      : await cross(program, options)
    return await new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('spawn', () => resolve(child))
    })
  } catch (error) {
    throw toSpawnError(error, program, options)
  }
}

/** What the system can start by itself. */
function isPlain(program: string): boolean {
  return process.platform !== 'win32' || /\.(?:exe|com)$/i.test(program)
}

async function cross(program: string, options: SpawnOptions): Promise<Spawned> {
  const { spawn: crossSpawn } = await import('cross-spawn')
  return crossSpawn(program, options.args, settingsOf(options))
}

function settingsOf({ cwd, env }: SpawnOptions) {
  return { cwd, env, shell: false, detached: process.platform !== 'win32', windowsHide: true }
}

/** Gone by `exit`: `close` would wait for everybody who still holds a pipe. Drained soon after it in any case. */
function endOf(child: Spawned): Pick<Child, 'exited' | 'drained'> {
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

function release(child: Spawned): void {
  child.stdin.destroy()
  child.stdout.destroy()
  child.stderr.destroy()
  child.unref()
}

/** What a program said before it closed its input is still on its way for a moment. */
const lastWordsMs = 20

/** The input and output of a program as one. No error of a pipe is ever thrown: it ends here, once. */
function openDuplex(stdin: Writable, stdout: Readable): Duplex {
  let onData: ((chunk: Uint8Array) => void) | undefined
  let onEnd: ((error?: Error) => void) | undefined
  let broken: Error | undefined
  let isOver = false

  const finish = () => {
    if (isOver) return
    isOver = true
    onData = undefined
    stdout.resume()
    onEnd?.(broken)
  }
  const fail = (error: Error) => {
    broken ??= error
    setTimeout(finish, lastWordsMs).unref()
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
      if (isOver) queueMicrotask(() => listener(broken))
    },
    end: () => void stdin.end(),
    destroy() {
      stdin.destroy()
      stdout.destroy()
    },
  }
}
