import { spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { RunOptions, RunResult } from '../platform.ts'

/** Runs a short command for its output, in its own process group so that nothing of it is left behind. */
export function runCommand(command: readonly string[] | string, options: RunOptions): Promise<RunResult> {
  if (options.signal?.aborted) return Promise.resolve(failed('cancelled', 'cancelled'))
  let child: Child
  try {
    child = start(command, options)
  } catch (error) {
    // An empty name or a NUL in an argument: Node refuses these before the system could.
    return Promise.resolve(failed('not-found', error instanceof Error ? error.message : String(error)))
  }
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let ended: RunResult | undefined

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
    const finish = (result: RunResult) => {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', onAbort)
      child.stdout.destroy()
      killGroup(child.pid)
      resolve(ended ?? result)
    }
    child.once('error', (error: NodeJS.ErrnoException) => {
      finish(failed('not-found', error.code ?? error.message))
    })
    // `close` waits for the output; a grandchild that keeps the pipe open must not keep us.
    child.once('close', (code, signal) => finish(outcome(code, signal, chunks)))
    child.once('exit', (code, signal) => {
      setTimeout(() => finish(outcome(code, signal, chunks)), 500).unref()
    })
  })
}

type Child = ChildProcessByStdio<null, Readable, null>

function start(command: readonly string[] | string, options: RunOptions): Child {
  const shell = typeof command === 'string'
  return spawn(shell ? command : (command[0] ?? ''), shell ? [] : command.slice(1), {
    cwd: options.cwd,
    env: options.env,
    shell,
    detached: process.platform !== 'win32',
    stdio: ['ignore', 'pipe', 'ignore'],
    windowsHide: true,
  })
}

function outcome(code: number | null, signal: string | null, chunks: readonly Buffer[]): RunResult {
  if (code === 0) return { kind: 'done', stdout: Buffer.concat(chunks).toString('utf8') }
  return failed('exit', signal ? `ended by ${signal}` : `exit code ${code}`)
}

type Failed = RunResult & { readonly kind: 'failed' }

function failed(reason: Failed['reason'], message: string): Failed {
  return { kind: 'failed', reason, message }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}
