import { spawn } from 'node:child_process'
import type { RunOptions, RunResult } from '../platform.ts'

/** Runs a short command for its output, in its own process group so that nothing of it is left behind. */
export function runCommand(command: readonly string[] | string, options: RunOptions): Promise<RunResult> {
  return new Promise((resolve) => {
    const shell = typeof command === 'string'
    const child = spawn(shell ? command : (command[0] ?? ''), shell ? [] : command.slice(1), {
      cwd: options.cwd,
      env: options.env as NodeJS.ProcessEnv, // the same shape, read-only
      shell,
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    })
    const chunks: Buffer[] = []
    let bytes = 0
    let ended: RunResult | undefined

    const stop = (reason: 'timeout' | 'too-large' | 'cancelled', message: string) => {
      ended ??= { kind: 'failed', reason, message }
      killGroup(child.pid)
    }
    const timer = setTimeout(
      () => stop('timeout', `no answer within ${options.timeoutMs} ms`),
      options.timeoutMs,
    )
    const onAbort = () => stop('cancelled', 'cancelled')
    options.signal?.addEventListener('abort', onAbort, { once: true })
    if (options.signal?.aborted) onAbort()

    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > options.maxBytes) stop('too-large', `more than ${options.maxBytes} bytes of output`)
      else chunks.push(chunk)
    })
    const finish = (result: RunResult) => {
      clearTimeout(timer)
      options.signal?.removeEventListener('abort', onAbort)
      child.stdout.destroy()
      resolve(ended ?? result)
    }
    child.once('error', (error: NodeJS.ErrnoException) => {
      finish({ kind: 'failed', reason: 'not-found', message: error.code ?? error.message })
    })
    // `close` waits for the output; a grandchild that keeps the pipe open must not keep us.
    child.once('close', (code, signal) => finish(outcome(code, signal, chunks)))
    child.once('exit', (code, signal) => {
      setTimeout(() => finish(outcome(code, signal, chunks)), 500).unref()
    })
  })
}

function outcome(code: number | null, signal: string | null, chunks: readonly Buffer[]): RunResult {
  if (code === 0) return { kind: 'done', stdout: Buffer.concat(chunks).toString('utf8') }
  return { kind: 'failed', reason: 'exit', message: signal ? `ended by ${signal}` : `exit code ${code}` }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL')
  } catch {
    // Already gone.
  }
}
