import { onTestFinished } from 'vitest'
import { createAgent } from '../../src/agent.ts'
import type { Agent, AgentEvent, AgentOptions, TurnFinished } from '../../src/agent.ts'
import type { JsonObject } from '../../src/index.ts'
import { modelOf } from './model-objects.ts'
import { startModelServer } from './model-server.ts'
import type { ModelServer, Script, Wire } from './model-server.ts'
import { toolHost } from './tool-host.ts'
import type { Entries, ToolHost, ToolHostOptions } from './tool-host.ts'

// Providers of the AI SDK warn on the console about models that they do not know.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

/** An agent over a scripted model and real servers. Everything is closed after the test. */
export interface AgentRun {
  readonly agent: Agent
  readonly model: ModelServer
  readonly servers: ToolHost
  /** All events so far, of all turns. */
  readonly events: readonly AgentEvent[]
  /** Sends a prompt and waits for the end of the turn. */
  ask(prompt: string, signal?: AbortSignal): Promise<TurnFinished>
  eventsOf<T extends AgentEvent['type']>(type: T): readonly (AgentEvent & { readonly type: T })[]
}

export interface AgentRunOptions {
  readonly wire?: Wire
  readonly script: Script
  readonly servers?: Entries
  readonly host?: ToolHostOptions
  readonly options?: Partial<AgentOptions>
}

export async function scriptedModel(wire: Wire, script: Script, key?: string): Promise<ModelServer> {
  const server = await startModelServer({ wire, script, ...(key !== undefined && { key }) })
  onTestFinished(() => server.stop())
  return server
}

export async function runAgent({
  wire = 'openai-chat',
  script,
  servers: entries = {},
  host,
  options = {},
}: AgentRunOptions): Promise<AgentRun> {
  const model = await scriptedModel(wire, script)
  const servers = await toolHost(entries, host)
  onTestFinished(() => servers.host.close())
  return agentOn(servers, model, options)
}

/** One more agent on the same host and model. */
export async function agentOn(
  servers: ToolHost,
  model: ModelServer,
  options: Partial<AgentOptions> = {},
): Promise<AgentRun> {
  const events: AgentEvent[] = []
  const agent = await createAgent({
    host: servers.host,
    model: modelOf(model),
    asks: 'rules',
    ...options,
    on(event) {
      events.push(event)
      options.on?.(event)
    },
  })
  onTestFinished(() => agent.close())
  return {
    agent,
    model,
    servers,
    events,
    ask: (prompt, signal) => agent.send(prompt, signal && { signal }).finished,
    eventsOf: (type) =>
      events.filter((event): event is AgentEvent & { readonly type: typeof type } => event.type === type),
  }
}

/** A tool that declares that it only reads. */
export function reader(name: string, more: JsonObject = {}): JsonObject {
  return { name, annotations: { readOnlyHint: true }, ...more }
}
