import { randomBytes } from 'node:crypto'
import { tracingChannel } from 'node:diagnostics_channel'
import { version } from '../../../index.ts'
import type { CallMessage, JsonObject } from '../../../index.ts'

/** Where spans go, as the variables of OpenTelemetry say it. */
export interface SpanTarget {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Attributes of the process that sends them. */
  readonly resource: Readonly<Record<string, string>>
}

type Env = Readonly<Partial<Record<string, string>>>

const channel = tracingChannel<unknown, CallMessage>('plugboard:call')
/** Spans that wait to be sent; those that come when so many wait are dropped. */
const maxWaiting = 2048
const maxBatch = 512
const usualEveryMs = 5000
const sendMs = 10_000
/** For what is left at the end. */
const lastMs = 2000
const internalKind = 1
const failedStatus = 2

/** @returns `undefined` if no collector is named, or the variables switch tracing off. */
export function spanTargetOf(env: Env, warn: (message: string) => void): SpanTarget | undefined {
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT']
  const text = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || (base && `${base.replace(/\/+$/, '')}/v1/traces`)
  const isOff = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none'
  if (!text || isOff) return undefined
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL']
  if (protocol === 'grpc') {
    warn('Spans are not sent: OTEL_EXPORTER_OTLP_PROTOCOL is grpc. Use the HTTP port of the collector.')
    return undefined
  }
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    warn('Spans are not sent: OTEL_EXPORTER_OTLP_ENDPOINT is no http or https address.')
    return undefined
  }
  const name = env['OTEL_SERVICE_NAME']
  return {
    url: text,
    headers: readPairs(env['OTEL_EXPORTER_OTLP_TRACES_HEADERS'] ?? env['OTEL_EXPORTER_OTLP_HEADERS']),
    resource: {
      'service.name': 'plugboard',
      'service.version': version,
      ...readPairs(env['OTEL_RESOURCE_ATTRIBUTES']),
      ...(name && { 'service.name': name }),
    },
  }
}

/** `key=value,key=value`, with escapes as in addresses. */
function readPairs(text = ''): Readonly<Record<string, string>> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    return at <= 0 ? [] : [[pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())] as const]
  })
  return Object.fromEntries(pairs)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A call that runs, as one span. */
interface OpenSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string | undefined
  readonly traceState?: string | undefined
  readonly startedAt: string
}

const parentForm = /^[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})/

/**
 * Sends a span of each call to a collector of OpenTelemetry (OTLP over HTTP, as JSON), behind the calls. A call whose caller has
 * a trace becomes part of it, unless the caller does not record it; the server gets the span as its parent.
 */
export class CallSpans {
  readonly #target: SpanTarget
  readonly #warn: (message: string) => void
  readonly #open = new WeakMap<CallMessage, OpenSpan>()
  readonly #timer: NodeJS.Timeout
  #waiting: JsonObject[] = []
  #sending: Promise<void> | undefined
  #isAway = false

  constructor(
    target: SpanTarget,
    { warn, everyMs = usualEveryMs }: { readonly warn: (message: string) => void; readonly everyMs?: number },
  ) {
    this.#target = target
    this.#warn = warn
    this.#timer = setInterval(() => void this.#send(), everyMs)
    this.#timer.unref()
    channel.start.subscribe(this.#onStart)
    channel.asyncEnd.subscribe(this.#onEnd)
  }

  async close(): Promise<void> {
    channel.start.unsubscribe(this.#onStart)
    channel.asyncEnd.unsubscribe(this.#onEnd)
    clearInterval(this.#timer)
    await this.#sending
    while (this.#waiting.length > 0 && !this.#isAway) await this.#send(lastMs)
  }

  readonly #onStart = (message: unknown): void => {
    const call = message as CallMessage // of this channel
    const [, traceId, parentSpanId, flags = '01'] = parentForm.exec(call.traceparent ?? '') ?? []
    // The caller records nothing of this trace.
    if ((Number.parseInt(flags, 16) & 1) === 0) return
    const span: OpenSpan = {
      traceId: traceId ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      parentSpanId,
      traceState: call.tracestate,
      startedAt: nowInNanoseconds(),
    }
    this.#open.set(call, span)
    call.traceparent = `00-${span.traceId}-${span.spanId}-01`
  }

  readonly #onEnd = (message: unknown): void => {
    const call = message as CallMessage // of this channel
    const span = this.#open.get(call)
    if (!span) return
    this.#open.delete(call)
    if (this.#waiting.length >= maxWaiting) return
    this.#waiting.push(toOtlp(span, call))
    if (this.#waiting.length >= maxBatch) void this.#send()
  }

  #send(withinMs = sendMs): Promise<void> {
    return (this.#sending ??= this.#sendBatch(withinMs).finally(() => (this.#sending = undefined)))
  }

  async #sendBatch(withinMs: number): Promise<void> {
    const batch = this.#waiting.splice(0, maxBatch)
    if (batch.length === 0) return
    try {
      const { url, headers } = this.#target
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(this.#requestFor(batch)),
        redirect: 'error',
        signal: AbortSignal.timeout(withinMs),
      })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`it answered ${response.status}`)
      this.#isAway = false
    } catch (error) {
      // They are tried again with the next ones.
      this.#waiting = [...batch, ...this.#waiting].slice(0, maxWaiting)
      if (!this.#isAway) this.#warn(`Spans were not sent: ${reasonOf(error)}. They are tried again.`)
      this.#isAway = true
    }
  }

  #requestFor(spans: readonly JsonObject[]): JsonObject {
    const scope = { name: 'plugboard', version }
    const resource = { attributes: toAttributes(this.#target.resource) }
    return { resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] }
  }
}

function toOtlp(span: OpenSpan, call: CallMessage): JsonObject {
  const { traceId, spanId, parentSpanId, traceState, startedAt } = span
  const { name, ref, server, tool, outcome, code } = call
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...(traceState !== undefined && { traceState }),
    name: `tools/call ${ref ?? name}`,
    kind: internalKind,
    startTimeUnixNano: startedAt,
    endTimeUnixNano: nowInNanoseconds(),
    attributes: toAttributes({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': tool ?? name,
      'mcp.server': server,
      'mcp.outcome': outcome,
      'error.type': code,
    }),
    status: outcome === 'done' ? {} : { code: failedStatus },
  }
}

function toAttributes(values: Readonly<Record<string, string | undefined>>): JsonObject[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: { stringValue: value } }],
  )
}

function nowInNanoseconds(): string {
  return `${Math.round((performance.timeOrigin + performance.now()) * 1000)}000`
}

/** Never the address: it may hold a secret. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the request failed'
  const { cause } = error
  const { code } = (cause instanceof Error ? cause : error) as NodeJS.ErrnoException // of the network
  return typeof code === 'string' ? code : error.message
}
