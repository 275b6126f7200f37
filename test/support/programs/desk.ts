import type { DeskStatus } from '../../../src/surfaces/facts/desk/desk-facts.ts'
import { untilGone } from './alive.ts'
import { createMachine, startCli } from './cli.ts'
import type { Machine } from './cli.ts'
import { ownFile } from '../servers.ts'

/** A machine whose clients share a gateway. At the end it is stopped, and all of its processes are gone. */
export interface DeskMachine extends AsyncDisposable {
  readonly machine: Machine
  connect(options?: ConnectOptions): DeskClientProcess
  status(): Promise<readonly DeskStatus[]>
}

export interface ConnectOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  /** Another build of Plugboard. */
  readonly entry?: string
}

type Message = Readonly<Record<string, unknown>>

/** A client: starts `plugboard gateway` and speaks with it over its pipes. */
export interface DeskClientProcess {
  readonly pid: number
  send(message: object): void
  request(method: string, params?: object): Promise<Message>
  /** Greets, and calls the tool of a server that returns its process id. */
  serverPid(server?: string): Promise<number>
  /** Resolves with the next notification of this method, from now on or not yet taken. */
  notified(method: string): Promise<Message>
  /** Closes the pipe, and returns the exit code. */
  leave(): Promise<number | null>
  kill(): Promise<void>
  readonly ended: Promise<number | null>
  errors(): string
}

export function startDesk(
  servers: Readonly<Record<string, unknown>>,
  { idleSeconds = 0 }: { readonly idleSeconds?: number } = {},
): DeskMachine {
  const machine = createMachine({
    [ownFile]: { mcpServers: servers },
    '~/.config/plugboard/settings.json': { desk: { idleSeconds }, accept: 'off' },
  })
  const clients: DeskClientProcess[] = []
  const status = async () =>
    (await machine.json<{ readonly gateways: readonly DeskStatus[] }>('gateway', 'status')).gateways
  return {
    machine,
    status,
    connect(options = {}) {
      const client = startClient(machine, options)
      clients.push(client)
      return client
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients) await client.leave()
      const pids = (await status()).map(({ pid }) => pid)
      await machine.run('gateway', 'stop')
      await untilGone(...pids)
      machine[Symbol.dispose]()
    },
  }
}

export function startClient(machine: Machine, { args = [], ...options }: ConnectOptions): DeskClientProcess {
  const program = startCli(machine, ['gateway', ...args], { ...options, stdin: 'pipe' })
  let nextId = 0
  const waiting = new Map<number, (message: Message) => void>()
  const notifications: Message[] = []
  let wake = () => undefined as void
  const read = async () => {
    for (let line = await program.nextLine(); line !== undefined; line = await program.nextLine()) {
      const message = JSON.parse(line) as Message
      const answered = message['method'] === undefined ? waiting.get(Number(message['id'])) : undefined
      if (answered) answered(message)
      else notifications.push(message)
      wake()
    }
  }
  void read()
  const ended = program.ended.then(({ code }) => code)
  const client: DeskClientProcess = {
    pid: program.pid,
    send: program.send,
    request(method, params = {}) {
      const id = nextId++
      program.send({ id, method, params })
      return Promise.race([
        new Promise<Message>((resolve) => waiting.set(id, resolve)),
        ended.then((code) => Promise.reject(new Error(`The client ended with ${code}: ${program.stderr()}`))),
      ])
    },
    async serverPid(server = 'echo') {
      await client.request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'tester', version: '1' },
      })
      const answer = await client.request('tools/call', { name: `${server}__echo`, arguments: {} })
      const result = answer['result'] as { readonly structuredContent?: { readonly pid: number } } | undefined
      if (!result?.structuredContent) throw new Error(JSON.stringify(answer))
      return result.structuredContent.pid
    },
    async notified(method) {
      for (;;) {
        const at = notifications.findIndex((each) => each['method'] === method)
        if (at >= 0) return notifications.splice(at, 1)[0] ?? {}
        await new Promise<void>((resolve) => (wake = resolve))
      }
    },
    leave() {
      program.closeInput()
      return ended
    },
    async kill() {
      await program.kill('SIGKILL')
    },
    ended,
    errors: program.stderr,
  }
  return client
}
