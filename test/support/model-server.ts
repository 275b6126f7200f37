import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { anthropic } from './model-wires/anthropic.ts'
import { google } from './model-wires/google.ts'
import { openaiChat } from './model-wires/openai-chat.ts'
import { openaiResponses } from './model-wires/openai-responses.ts'
import { refusalOf } from './model-wires/refusals.ts'
import type { Body, Conversation, Frames, Saying, Spoken, WireFormat } from './model-wires/wire-format.ts'

export const wires = ['openai-chat', 'openai-responses', 'anthropic', 'google'] as const
export type Wire = (typeof wires)[number]

/** What the scripted model answers to one request. */
export type Answer =
  | Saying
  /** An HTTP answer instead of the model's; without a body an error in the form of the wire. */
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
  /** What is said, then the socket is destroyed, in the middle of the answer. */
  | (Saying & { readonly cut: true })
  /** What is said, then a clean end of the stream without finish reason and usage. */
  | (Saying & { readonly unfinished: true })
  /** What is said, then text (or arguments of the last call) until the client closes. */
  | (Saying & { readonly endless: true | 'arguments' })
  /** The second half of what is said waits for this. */
  | (Saying & { readonly half: Promise<void> })
  /** What is said, then nothing more until the client closes. */
  | (Saying & { readonly silent: true })

export type ScriptStep = Answer | ((request: ModelRequest, index: number) => Answer | Promise<Answer>)

/** A list is used in order, and the request after the last one fails with 500; a function answers every request. */
export type Script =
  | readonly ScriptStep[]
  | ((request: ModelRequest, index: number) => Answer | Promise<Answer>)

/** A received request for an answer: the same shape for all wires, and what was really sent. */
export interface ModelRequest extends Conversation {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Body
  readonly bodyText: string
  /** The definitions as they were sent, for comparing bytes. Empty without tools. */
  readonly toolsText: string
  readonly model: string
  readonly isStream: boolean
  /** Settles when the client closes the connection before the answer is complete. */
  readonly closed: Promise<void>
}

export interface ModelServerOptions {
  readonly wire: Wire
  readonly script?: Script
  /** Requests without this key get 401. */
  readonly key?: string
  /** What the endpoint lists. */
  readonly models?: readonly string[]
  /** Requests with more tools get 400, as some providers answer. */
  readonly maxTools?: number
}

export interface ModelServer extends AsyncDisposable {
  readonly wire: Wire
  /** The base address as a provider takes it, without a slash at the end. */
  readonly url: string
  readonly requests: readonly ModelRequest[]
  /** How often the models were listed. */
  readonly listed: number
  /** Settles with the request of this number, from 1 on, when it has arrived. */
  arrived(count: number): Promise<ModelRequest>
  /** Replaces the rest of the script. */
  play(script: Script): void
  stop(): Promise<void>
}

/**
 * A scripted model behind real HTTP on loopback. It answers 400 to requests that real providers refuse. The caller stops
 * it.
 */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const format = formatOf(options.wire)
  const requests: ModelRequest[] = []
  const sockets = new Set<Socket>()
  let waiting: (() => void)[] = []
  let listed = 0
  let script: Script = options.script ?? []
  let played = 0

  const next = async (request: ModelRequest): Promise<Answer> => {
    const index = played++
    const step = typeof script === 'function' ? script : script[index]
    if (step === undefined) return { status: 500, body: format.error(500, 'The script has no more answers.') }
    return typeof step === 'function' ? step(request, index) : step
  }

  const handle = async (raw: IncomingMessage, response: ServerResponse) => {
    const url = new URL(raw.url ?? '/', 'http://127.0.0.1')
    const bodyText = await textFrom(raw)
    if (options.key !== undefined && format.keyOf(raw.headers, url) !== options.key)
      return sendJson(response, 401, format.error(401, 'The key is not accepted.'))
    if (raw.method === 'GET' && url.pathname === `${format.base}/models`) {
      listed++
      return sendJson(response, 200, format.list(options.models ?? ['scripted']))
    }
    if (raw.method !== 'POST' || !format.isAnswer(url.pathname))
      return sendJson(response, 404, format.error(404, `There is nothing at ${url.pathname}.`))
    const body = JSON.parse(bodyText) as Body
    const request: ModelRequest = {
      ...format.read(body),
      path: url.pathname,
      headers: raw.headers,
      body,
      bodyText,
      toolsText: body.tools === undefined ? '' : JSON.stringify(body.tools),
      model: format.modelOf(url.pathname, body),
      isStream: format.isStream(url.pathname, body),
      closed: new Promise((resolve) =>
        response.once('close', () => {
          if (!response.writableFinished) resolve()
        }),
      ),
    }
    requests.push(request)
    for (const wake of waiting.splice(0)) wake()
    const number = requests.length
    const refusal =
      request.tools.length > (options.maxTools ?? Infinity) ? 'There are too many tools.' : refusalOf(request)
    if (refusal) return sendJson(response, 400, format.error(400, refusal))
    const answer = await next(request)
    if ('status' in answer) {
      const { status, headers, body: given } = answer
      return sendJson(response, status, given ?? format.error(status, `Scripted ${status}.`), headers)
    }
    const spoken = speak(answer, request, number)
    if (!request.isStream) return sendJson(response, 200, format.whole(spoken))
    await sendStream(response, format.stream(spoken), answer)
  }

  const server = createServer((raw, response) => {
    handle(raw, response).catch((error: unknown) => {
      if (!response.headersSent) sendJson(response, 500, format.error(500, String(error)))
      else response.destroy()
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      for (const socket of sockets) socket.destroy()
    })
  return {
    wire: options.wire,
    url: `http://127.0.0.1:${port}${format.base}`,
    requests,
    get listed() {
      return listed
    },
    async arrived(count) {
      for (;;) {
        const request = requests[count - 1]
        if (request) return request
        await new Promise<void>((resolve) => waiting.push(resolve))
      }
    },
    play(next) {
      script = next
      played = 0
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

function formatOf(wire: Wire): WireFormat {
  if (wire === 'openai-chat') return openaiChat
  if (wire === 'openai-responses') return openaiResponses()
  return wire === 'anthropic' ? anthropic : google
}

/** Ids are numbered, so that two runs of one script send the same bytes. */
function speak(saying: Saying, request: ModelRequest, number: number): Spoken {
  const { text = '', reasoning = '', calls = [], usage, finish } = saying
  return {
    text,
    reasoning,
    calls: calls.map(({ id, name, args, rawArgs }, index) => ({
      id: id ?? `call_${number}_${index + 1}`,
      name,
      args: rawArgs ?? JSON.stringify(args ?? {}),
    })),
    usage: {
      input: Math.ceil(request.bodyText.length / 4),
      output: Math.ceil((text.length + reasoning.length) / 4) + calls.length,
      cached: 0,
      ...usage,
    },
    finish: finish ?? (calls.length > 0 ? 'calls' : 'stop'),
    model: request.model,
    id: `answer_${number}`,
  }
}

async function sendStream(response: ServerResponse, frames: Frames, answer: Answer): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  // A flush after each piece, so that they arrive apart.
  const send = (piece: string) => new Promise<void>((resolve) => response.write(piece, () => resolve()))
  const middle = 'half' in answer ? Math.floor(frames.body.length / 2) : -1
  for (const [at, piece] of frames.body.entries()) {
    if ('half' in answer && at === middle) await answer.half
    await send(piece)
  }
  if ('cut' in answer) return void response.socket?.destroy()
  if ('unfinished' in answer) return void response.end()
  if ('silent' in answer) return
  if ('endless' in answer) {
    const kind = answer.endless === 'arguments' ? 'arguments' : 'text'
    const timer = setInterval(() => response.write(frames.more(kind)), 2)
    response.once('close', () => clearInterval(timer))
    return
  }
  response.end(frames.end.join(''))
}

async function textFrom(raw: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of raw) chunks.push(chunk as Buffer) // no encoding is set
  return Buffer.concat(chunks).toString('utf8')
}

function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}
