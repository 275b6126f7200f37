import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Readable } from 'node:stream'
import type { RunOptions, RunResult } from '../platform.ts'

/** Runs a short command for its output, in its own process group, which is killed afterwards. */
export function runCommand(command: readonly string[] | string, options: RunOptions): Promise<RunResult> {
  if (options.signal?.aborted) return Promise.resolve(failed('cancelled', 'cancelled'))
  let child: Child
  try {
    child = spawnCommand(command, options)
  } catch (error) {
    // Node itself rejects an empty name or a NUL in an argument.
    return Promise.resolve(failed('not-found', error instanceof Error ? error.message : String(error)))
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let ended: RunResult | undefined
    let isFinished = false
    let grace: NodeJS.Timeout | undefined

    const stop = (reason: 'timeout' | 'too-large' | 'cancelled', message: string) => {
      ended ??= failed(reason, message)
      killGroup(child.pid)
    }
    const timer = setTimeout(
      () => stop('timeout', `no answer within ${options.timeoutMs} ms`),
      options.timeoutMs,
    )
    const onAbort = () => stop('cancelled', 'cancelled')
    options.signal?.addEventListener('abort', onAbort, { once: true })

    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > options.maxBytes) stop('too-large', `more than ${options.maxBytes} bytes of output`)
      else chunks.push(chunk)
    })
    // Only once: later the id of the group may belong to another one.
    const finish = (result: RunResult) => {
      if (isFinished) return
      isFinished = true
      clearTimeout(timer)
      clearTimeout(grace)
      options.signal?.removeEventListener('abort', onAbort)
      child.stdout.destroy()
      killGroup(child.pid)
      resolve(ended ?? result)
    }
    child.once('error', (error: NodeJS.ErrnoException) => {
      finish(failed('not-found', error.code ?? error.message))
    })
    // `close` waits for the output, but a grandchild may keep the pipe open: `exit` limits the wait.
    child.once('close', (code, signal) => finish(resultOf(code, signal, chunks)))
    child.once('exit', (code, signal) => {
      if (isFinished) return
      grace = setTimeout(() => finish(resultOf(code, signal, chunks)), 500).unref()
    })
  })
}

type Child = ChildProcessByStdio<null, Readable, null>

function spawnCommand(command: readonly string[] | string, options: RunOptions): Child {
  const isLine = typeof command === 'string'
  return spawn(isLine ? command : (command[0] ?? ''), isLine ? [] : command.slice(1), {
    cwd: options.cwd,
    env: options.env,
    shell: isLine && shellOf(options.env),
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
  })
}

/** The person's shell, or the default shell of the system (`true`) if `SHELL` cannot run a command line. */
function shellOf({ SHELL: shell }: RunOptions['env']): string | true {
  if (process.platform === 'win32' || shell === undefined || !isAbsolute(shell)) return true
  return existsSync(shell) && !/\/(?:false|nologin)$/.test(shell) ? shell : true
}

function resultOf(code: number | null, signal: string | null, chunks: readonly Buffer[]): RunResult {
  if (code === 0) return { kind: 'done', stdout: Buffer.concat(chunks).toString('utf8') }
  return failed('exit', signal ? `ended by ${signal}` : `exit code ${code}`)
}

type RunFailure = RunResult & { readonly kind: 'failed' }

function failed(reason: RunFailure['reason'], message: string): RunFailure {
  return { kind: 'failed', reason, message }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
}
