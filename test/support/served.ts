import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createClient } from '../../src/client.ts'
import type { Client, RouteKey } from '../../src/client.ts'
import type { Json, JsonObject } from '../../src/index.ts'
import { checkArguments } from '../../src/internal.ts'
import { api } from '../../src/surfaces/api/api.ts'
import { definitions } from '../../src/surfaces/api/definitions.ts'
import { openServe } from '../../src/surfaces/server/serve.ts'
import type { Served, ServeOptions } from '../../src/surfaces/server/serve.ts'
import type { ServeApp } from '../../src/surfaces/server/serve-app.ts'
import { createMachine } from './programs/cli.ts'
import type { Machine } from './programs/cli.ts'
import { ownFile } from './servers.ts'

/** `plugboard serve` in this process, for a machine of its own. */
export interface ServedMachine extends AsyncDisposable {
  readonly served: Served & Pick<ServeApp, 'host' | 'feed'>
  readonly port: number
  readonly machine: Machine
  readonly client: Client
  /** What the terminal showed. */
  readonly printed: readonly string[]
  /** Sends a request as bytes, and returns what came back until the connection was closed. */
  send(head: readonly string[], body?: string): Promise<RawAnswer>
}

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface StartOptions extends Partial<Omit<ServeOptions, 'discover' | 'print'>> {
  /** Files of the machine, as for `createMachine`. */
  readonly files?: Readonly<Record<string, unknown>>
  /** Variables besides those of the machine. */
  readonly env?: Readonly<Record<string, string>>
}

/** @param servers Those of the person's own file. */
export async function startServed(
  servers: Readonly<Record<string, unknown>> = {},
  { files = {}, env = {}, ...options }: StartOptions = {},
): Promise<ServedMachine> {
  const machine = createMachine({ [ownFile]: { mcpServers: servers }, ...files })
  const printed: string[] = []
  const served = await openServe({
    discover: { cwd: machine.project, platform: { home: machine.home, env: { ...machine.env, ...env } } },
    port: 0,
    print: (line) => printed.push(line),
    ...options,
  })
  const { host, feed } = await served.app()
  const port = Number(new URL(served.address).port)
  return {
    served: { ...served, host, feed },
    port,
    machine,
    printed,
    client: checkAnswers(createClient(served)),
    send: (head, body = '') => sendRaw(port, head, body),
    async [Symbol.asyncDispose]() {
      await served.close()
      machine[Symbol.dispose]()
    },
  }
}

/** A client that refuses an answer which does not fit the schema of its route: what the OpenAPI document says is true. */
function checkAnswers(client: Client): Client {
  const send = async (key: RouteKey, ...rest: readonly unknown[]): Promise<unknown> => {
    const answer: unknown = await (client.send as (key: RouteKey, ...rest: readonly unknown[]) => unknown)(
      key,
      ...rest,
    )
    const schema = { ...api[key].answer, $defs: definitions } as unknown as JsonObject // schemas are plain JSON
    const found = await checkArguments(schema, answer as Json) // an answer is JSON
    if (found.kind !== 'invalid') return answer
    throw new Error(`The answer to ${key} does not fit its schema: ${JSON.stringify(found.problems)}`)
  }
  return { ...client, send: send as Client['send'] } // the types are those of the client that it calls
}

async function sendRaw(port: number, head: readonly string[], body: string): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1')
  socket.write([...head, 'Connection: close', '', body].join('\r\n'))
  const answer = await text(socket)
  const [start = '', ...rest] = answer.split('\r\n\r\n')
  const [line = '', ...lines] = start.split('\r\n')
  return {
    status: Number(line.split(' ')[1]),
    headers: Object.fromEntries(
      lines.map((each) => [
        each.slice(0, each.indexOf(':')).toLowerCase(),
        each.slice(each.indexOf(':') + 1).trim(),
      ]),
    ),
    body: rest.join('\r\n\r\n'),
  }
}
