import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chat } from './wire-chat.ts'
import { generateContent } from './wire-generate.ts'
import { messages } from './wire-messages.ts'
import { responses } from './wire-responses.ts'

/** The input of a model in one turn. */
export interface Turn {
  readonly tools: readonly {
    readonly name: string
    readonly description?: string
    readonly schema: Readonly<Record<string, unknown>>
  }[]
  /** The results of all calls so far, in the order of the conversation. */
  readonly results: readonly ModelResult[]
}

export interface ModelResult {
  readonly text: string
  readonly failed?: boolean
  readonly images?: readonly string[]
}

/** The model's reply to a turn. */
export type Reply =
  | { readonly says: string }
  | { readonly calls: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[] }

/** A provider's wire format for turns and replies. */
export interface Wire {
  /** The turn, with the ids of the calls in the conversation and those of the results. */
  read(body: WireBody): Turn & { readonly callIds: readonly string[]; readonly resultIds: readonly string[] }
  write(reply: Reply, idOf: (index: number) => string): unknown
}

// A provider's JSON; each wire reads only the fields it knows.
// oxlint-disable-next-line typescript/no-explicit-any
export type WireBody = Readonly<Record<string, any>>

export interface ModelServer extends AsyncDisposable {
  readonly url: string
  readonly turns: readonly Turn[]
}

const wires: Readonly<Record<string, Wire>> = {
  '/v1/chat/completions': chat,
  '/v1/responses': responses,
  '/v1/messages': messages,
  '/v1beta/models/scripted:generateContent': generateContent,
}

/** A scripted model that speaks the wire formats of the providers, and is as strict about tools and results. */
export async function startModel(script: (turn: Turn, index: number) => Reply): Promise<ModelServer> {
  const turns: Turn[] = []
  const server = createServer((request, response) => {
    void answer(request).then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // a TCP server
  return {
    url: `http://127.0.0.1:${port}`,
    turns,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }

  async function answer(request: IncomingMessage): Promise<{ status: number; body: unknown }> {
    const wire = wires[request.url ?? '']
    if (!wire) return { status: 404, body: { error: { message: `no such endpoint: ${request.url}` } } }
    try {
      const { tools, results, callIds, resultIds } = wire.read(await readJson(request))
      checkTools(tools)
      checkResults(callIds, resultIds)
      turns.push({ tools, results })
      const index = turns.length - 1
      return {
        status: 200,
        body: wire.write(script({ tools, results }, index), (call) => `call_${index}_${call}`),
      }
    } catch (error) {
      return { status: 400, body: { error: { type: 'invalid_request_error', message: String(error) } } }
    }
  }
}

async function readJson(request: IncomingMessage): Promise<WireBody> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer) // a stream without an encoding gives bytes
  return JSON.parse(Buffer.concat(parts).toString()) as WireBody // checked where it is read
}

function checkTools(tools: Turn['tools']): void {
  for (const { name, schema } of tools) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) throw new Error(`invalid name: ${name}`)
    if (schema['type'] !== 'object') throw new Error(`${name}: the schema is not an object`)
    for (const keyword of ['oneOf', 'anyOf', 'allOf', '$ref'])
      if (keyword in schema) throw new Error(`${name}: ${keyword} at the top`)
  }
}

function checkResults(callIds: readonly string[], resultIds: readonly string[]): void {
  if (callIds.join() !== resultIds.join())
    throw new Error(`calls ${callIds.join()}, but results ${resultIds.join()}`)
}
