import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { JsonObject } from '../../../src/index.ts'
import { cliFile, createMachine } from './cli.ts'
import type { Machine } from './cli.ts'

export interface ReplicaOptions {
  readonly port: number
  /** What callers use. */
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  readonly settings?: JsonObject
  readonly from?: string
}

/** A gateway in a process of its own, on a machine of its own. */
export interface Replica extends AsyncDisposable {
  readonly machine: Machine
  readonly pid: number
  /** Resolves when it has printed a line with this text. */
  said(text: string): Promise<void>
  kill(signal: NodeJS.Signals): Promise<void>
}

export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  const { port, url, env, settings = {}, from = 'store' } = options
  const machine = createMachine({
    '~/.config/plugboard/settings.json': {
      gateway: { url, proxies: ['127.0.0.1'], stopSeconds: 0 },
      ...settings,
    },
  })
  const args = ['gateway', '--port', String(port), '--from', from]
  const child = spawn(process.execPath, [cliFile, ...args], {
    cwd: machine.project,
    env: { ...machine.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log = followLines(child)
  await log.said('Gateway: ')
  const exited = once(child, 'exit')
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    if (child.exitCode === null && child.signalCode === null) await exited
  }
  return {
    machine,
    pid: child.pid ?? 0,
    said: log.said,
    kill,
    async [Symbol.asyncDispose]() {
      await kill('SIGTERM')
      machine[Symbol.dispose]()
    },
  }
}

function followLines(child: ChildProcess) {
  const lines: string[] = []
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr])
    if (stream)
      createInterface(stream).on('line', (line) => {
        lines.push(line)
        for (const look of waiting) look()
      })
  const gone = once(child, 'close')
  return {
    said: (text: string) =>
      new Promise<void>((resolve, reject) => {
        const look = () => {
          const at = lines.findIndex((line) => line.includes(text))
          if (at < 0) return
          lines.splice(0, at + 1)
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        void gone.then(() => reject(new Error(`it ended and never said "${text}": ${lines.join('\n')}`)))
        look()
      }),
  }
}
