import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { faultyServer } from '../../../src/testing/faulty-server.ts'
import type { FaultyScript } from '../../../src/testing/faulty-server.ts'

/** Starts the faulty server with plain pipes, without our own client. */
export function startRaw(script: FaultyScript = {}) {
  const { command, args } = faultyServer(script)
  const child = spawn(command, [...args], { stdio: 'pipe' })
  let held = Buffer.alloc(0)
  let stderr = ''
  let wake = () => {}
  child.stdin.on('error', () => undefined)
  child.stdout.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk])
    wake()
  })
  child.stdout.once('close', () => wake())
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
    wake()
  })
  const ended = once(child, 'exit').then(([code, signal]) => ({ code, signal }))

  async function until<T>(found: () => T | undefined): Promise<T | undefined> {
    for (;;) {
      const value = found()
      if (value !== undefined || child.stdout.closed) return value
      await new Promise<void>((resolve) => (wake = resolve))
    }
  }
  const takeLine = () => {
    const end = held.indexOf(10)
    if (end < 0) return undefined
    const line = held.subarray(0, end)
    held = held.subarray(end + 1)
    return line
  }
  const nextBytes = () => until(takeLine)

  return {
    child,
    ended,
    send(...messages: readonly object[]) {
      for (const message of messages) child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    },
    /** The next line without its end; `undefined` once stdout is closed. */
    nextBytes,
    nextLine: async () => (await nextBytes())?.toString(),
    next: async (): Promise<unknown> => JSON.parse((await nextBytes())?.toString() ?? 'null'),
    /** The bytes after the last complete line, once there are this many. */
    held: (bytes: number) => until(() => (held.length >= bytes ? held : undefined)),
    stderr: (pattern: RegExp) => until(() => pattern.exec(stderr) ?? undefined),
    stderrLength: () => stderr.length,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await ended
      child.stdout.destroy()
    },
  }
}

export function call(id: number, name: string, args: object = {}) {
  return { id, method: 'tools/call', params: { name, arguments: args } }
}
