// One span for every call of a tool, as a child of the span that is active, and the server gets it as its parent.
// npm i plugboard @opentelemetry/api @opentelemetry/core @opentelemetry/sdk-trace-base @opentelemetry/context-async-hooks
// node opentelemetry.mjs npx -y @modelcontextprotocol/server-everything@2026.8.31
import { tracingChannel } from 'node:diagnostics_channel'
import { context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { BasicTracerProvider, ConsoleSpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { createHost } from 'plugboard'

// What a program with OpenTelemetry has anyway; in place of the console it has an exporter of its own.
const provider = new BasicTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())],
})
trace.setGlobalTracerProvider(provider)
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
propagation.setGlobalPropagator(new W3CTraceContextPropagator())

const tracer = trace.getTracer('plugboard')
const spans = new WeakMap()
tracingChannel('plugboard:call').subscribe({
  start(call) {
    // A `traceparent` in the options of the call comes before the active span.
    const parent = call.traceparent ? propagation.extract(context.active(), call) : context.active()
    const attributes = {
      'mcp.server': call.server,
      'mcp.tool': call.tool,
      'mcp.conversation': call.conversation,
    }
    const span = tracer.startSpan(
      `call ${call.ref ?? call.name}`,
      { kind: SpanKind.CLIENT, attributes },
      parent,
    )
    spans.set(call, span)
    propagation.inject(trace.setSpan(parent, span), call)
  },
  asyncEnd(call) {
    const span = spans.get(call)
    span.setAttributes({ 'mcp.outcome': call.outcome, 'mcp.error': call.code })
    if (call.outcome !== 'done') span.setStatus({ code: SpanStatusCode.ERROR })
    span.end()
  },
})

const [command, ...args] = process.argv.slice(2)
const host = await createHost({ servers: { demo: { command, args } } })
try {
  await host.ready()
  await tracer.startActiveSpan('task', async (task) => {
    for (const { name } of host.tools()) await host.call(name).catch((error) => console.error(error.message))
    task.end()
  })
} finally {
  await host.close()
  await provider.shutdown()
}
