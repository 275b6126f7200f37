import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/index.ts'
import { CallSpans, spanTargetOf } from '../../src/surfaces/gateway/operations/call-spans.ts'
import { echoServer, startGateway } from '../support/gateway.ts'
import type { Reply } from '../support/gateway.ts'

interface Sent {
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: { readonly resourceSpans: readonly JsonObject[] }
}

/** A collector of OpenTelemetry that keeps what it gets. */
async function startCollector() {
  const sent: Sent[] = []
  let status = 200
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (status === 200 && request.url === '/v1/traces')
        sent.push({
          headers: request.headers,
          body: JSON.parse(Buffer.concat(chunks).toString()) as Sent['body'], // OTLP
        })
      response.writeHead(status).end('{}')
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, // of a port
    sent,
    answer: (code: number) => (status = code),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await once(server.close(), 'close')
    },
  }
}

/** The trace that the server got. */
function traceSeen({ body }: Reply): readonly string[] {
  const content = body.result?.['structuredContent'] as { readonly meta: { readonly traceparent: string } } // it says so
  return content.meta.traceparent.split('-')
}

function openSpans(endpoint: string, warnings: string[] = [], everyMs = 60_000) {
  const warn = (message: string) => void warnings.push(message)
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: 'x-team=a%20b' }
  const target = spanTargetOf(env, warn)
  if (!target) throw new Error('There is no target.')
  return new CallSpans(target, { warn, everyMs })
}

describe('spans of the gateway', () => {
  test('a call is a span of the trace of its caller, and the server gets it as its parent', async () => {
    await using collector = await startCollector()
    await using started = await startGateway({ echo: echoServer() })
    const spans = openSpans(collector.endpoint)
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
    const trace = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: 'vendor=1' }
    const call = { name: 'echo__echo', arguments: {} }
    const [, seenTrace, seenParent] = traceSeen(await started.modern('tools/call', { ...call, _meta: trace }))
    const [, aloneTrace, aloneSpan] = traceSeen(await started.modern('tools/call', call))
    // What the caller does not record is passed on as it is.
    const unrecorded = { traceparent: `00-${traceId}-00f067aa0ba902b7-00` }
    expect(traceSeen(await started.modern('tools/call', { ...call, _meta: unrecorded })).join('-')).toBe(
      unrecorded.traceparent,
    )
    await started.modern('tools/call', { name: 'echo__crash', arguments: {} })
    await spans.close()
    expect(collector.sent).toEqual([
      { headers: expect.objectContaining({ 'x-team': 'a b' }), body: { resourceSpans: [expect.anything()] } },
    ])
    const [resourceSpans] = collector.sent[0]?.body.resourceSpans ?? []
    const { resource, scopeSpans } = resourceSpans as JsonObject & {
      readonly scopeSpans: readonly JsonObject[]
    }
    expect(resource).toEqual({
      attributes: expect.arrayContaining([{ key: 'service.name', value: { stringValue: 'plugboard' } }]),
    })
    const nanoseconds = expect.stringMatching(/^\d{19}$/)
    const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } })
    const common = {
      name: 'tools/call echo/echo',
      kind: 1,
      startTimeUnixNano: nanoseconds,
      endTimeUnixNano: nanoseconds,
      attributes: [
        attribute('mcp.method.name', 'tools/call'),
        attribute('gen_ai.tool.name', 'echo'),
        attribute('mcp.server', 'echo'),
        attribute('mcp.outcome', 'done'),
      ],
      status: {},
    }
    expect(seenTrace).toBe(traceId)
    expect(scopeSpans[0]?.['spans']).toEqual([
      { ...common, traceId, spanId: seenParent, parentSpanId: '00f067aa0ba902b7', traceState: 'vendor=1' },
      { ...common, traceId: aloneTrace, spanId: aloneSpan },
      expect.objectContaining({ name: 'tools/call echo/crash', status: { code: 2 } }),
    ])
  })

  test('a collector that is away costs no call, and gets the spans when it is back', async () => {
    await using collector = await startCollector()
    await using started = await startGateway({ echo: echoServer() })
    const warnings: string[] = []
    collector.answer(503)
    const spans = openSpans(collector.endpoint, warnings, 5)
    expect((await started.modern('tools/call', { name: 'echo__echo', arguments: {} })).status).toBe(200)
    await expect.poll(() => warnings).toEqual(['Spans were not sent: it answered 503. They are tried again.'])
    collector.answer(200)
    await expect.poll(() => collector.sent.length).toBe(1)
    await spans.close()
    expect(warnings).toHaveLength(1)
  })
})

test.each<[string, Record<string, string>, object | undefined, readonly string[]]>([
  ['no variable', {}, undefined, []],
  ['switched off', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_SDK_DISABLED: 'true' }, undefined, []],
  ['no exporter', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_TRACES_EXPORTER: 'none' }, undefined, []],
  [
    'grpc',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
    undefined,
    ['Spans are not sent: OTEL_EXPORTER_OTLP_PROTOCOL is grpc. Use the HTTP port of the collector.'],
  ],
  [
    'no address',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
    undefined,
    ['Spans are not sent: OTEL_EXPORTER_OTLP_ENDPOINT is no http or https address.'],
  ],
  [
    'an address for traces, a name and attributes',
    {
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c.example/x',
      OTEL_SERVICE_NAME: 'desk',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=prod,bad',
    },
    {
      url: 'https://c.example/x',
      headers: {},
      resource: {
        'service.name': 'desk',
        'service.version': expect.any(String),
        'deployment.environment': 'prod',
      },
    },
    [],
  ],
])('variables of OpenTelemetry: %s', (_, env, target, warned) => {
  const warnings: string[] = []
  expect(spanTargetOf(env, (message) => warnings.push(message))).toEqual(target)
  expect(warnings).toEqual(warned)
})
