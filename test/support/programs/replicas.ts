import type { JsonObject } from '../../../src/index.ts'
import { createMachine, startCli } from './cli.ts'
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
  const program = startCli(machine, ['gateway', '--port', String(port), '--from', from], { env })
  await program.printed('Gateway: ')
  return {
    machine,
    pid: program.pid,
    said: async (text) => void (await program.printed(text)),
    kill: async (signal) => void (await program.kill(signal)),
    async [Symbol.asyncDispose]() {
      await program.kill('SIGTERM')
      machine[Symbol.dispose]()
    },
  }
}
