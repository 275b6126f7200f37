import type { Child, Spawn } from '../platform/platform.ts'
import { faultyServer } from './faulty-server.ts'
import type { FaultyScript } from './faulty-server.ts'

/** A faulty server that listens on a local port. */
export interface FaultyHttp {
  readonly url: URL
  readonly child: Child
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface FaultyHttpOptions {
  /** The `spawn` of a platform (not the one of `node:child_process`); that of `nodePlatform()` by default. */
  readonly spawn?: Spawn
  readonly mode?: 'http' | 'sse'
}

/** Starts the faulty server as a child process and waits until it listens. */
export async function startFaultyHttp(
  script: FaultyScript,
  { spawn, mode = 'http' }: FaultyHttpOptions = {},
): Promise<FaultyHttp> {
  const { command, args } = faultyServer(script)
  const start = spawn ?? (await import('../platform/node/node-platform.ts')).nodePlatform().spawn
  const child = await start({ command, args: [...args, `--${mode}`], env: {}, cwd: process.cwd() })
  const close = async () => {
    child.kill('SIGKILL')
    await child.exited
    child.release()
  }
  try {
    return { url: new URL(await firstLine(child)), child, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

function firstLine(child: Child): Promise<string> {
  const decoder = new TextDecoder()
  let [line, stderr] = ['', '']
  child.onStderr((chunk) => (stderr += new TextDecoder().decode(chunk)))
  return new Promise((resolve, reject) => {
    child.io.onData((chunk) => {
      line += decoder.decode(chunk, { stream: true })
      if (line.includes('\n')) resolve(line.trimEnd())
    })
    child.io.onEnd(() => reject(new Error(`the faulty server did not start: ${stderr.trim()}`)))
  })
}
