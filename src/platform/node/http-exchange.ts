import type { Dispatcher } from 'undici'
import type { HttpExchange, HttpHeaders, HttpListener } from '../platform.ts'
import { toHttpError } from './http-error.ts'
import { createUnpacker } from './http-unpack.ts'
import type { Unpacker } from './http-unpack.ts'

type Controller = Dispatcher.DispatchController

/** One request and its response, driven by the callbacks of undici. */
export class Exchange implements HttpExchange, Dispatcher.DispatchHandler {
  readonly #listener: HttpListener
  #controller: Controller | undefined
  #unpacker: Unpacker | undefined
  #isSent = false
  #isOver = false

  constructor(listener: HttpListener) {
    this.#listener = listener
  }

  abort(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#unpacker?.destroy()
    this.#controller?.abort(new Error('aborted'))
  }

  /** Called right before the first byte is written; throwing keeps the connection usable for the next request. */
  onRequestStart(controller: Controller): void {
    if (this.#isOver) throw new Error('aborted')
    this.#controller = controller
    this.#isSent = true
  }

  onResponseStart(
    controller: Controller,
    status: number,
    raw: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#isOver || status < 200) return
    const headers = flatten(raw)
    const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
    if (encoding !== 'identity' && encoding !== '') this.#unpacker = this.#unpack(encoding, controller)
    this.#listener.onHeaders(status, headers)
  }

  onResponseData(controller: Controller, chunk: Uint8Array): void {
    if (this.#isOver) return
    if (!this.#unpacker) return this.#listener.onData(chunk)
    if (!this.#unpacker.write(chunk)) controller.pause()
  }

  onResponseEnd(): void {
    if (this.#unpacker) this.#unpacker.end()
    else this.#end()
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#unpacker?.destroy()
    // undici reports an invalid request before `send` returns; the listener is called after it.
    if (this.#isSent) this.#fail(error)
    else queueMicrotask(() => this.#fail(error))
  }

  #unpack(encoding: string, controller: Controller): Unpacker {
    return createUnpacker(encoding, {
      onData: (chunk) => {
        if (!this.#isOver) this.#listener.onData(chunk)
      },
      onEnd: () => this.#end(),
      onDrain: () => controller.resume(),
      onError: (error) => {
        if (this.#isOver) return
        this.abort()
        this.#listener.onError(error)
      },
    })
  }

  #end(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#listener.onEnd()
  }

  #fail(error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#listener.onError(toHttpError(error, this.#isSent))
  }
}

function flatten(raw: Record<string, string | string[] | undefined>): HttpHeaders {
  const headers: Record<string, string> = {}
  for (const name in raw) {
    const value = raw[name]
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return headers
}
