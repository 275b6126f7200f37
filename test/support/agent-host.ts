import { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { createAgent } from '../../src/agent.ts'
import type { Agent, AgentEvent, AgentOptions } from '../../src/agent.ts'
import { createHost } from '../../src/index.ts'
import type { Clock, Host, HostOptions } from '../../src/index.ts'
import { newHome, writeFiles } from './tool-host.ts'

type Answer = string | { readonly text: string; readonly isError?: boolean }
export type ToolRun = (
  args: Readonly<Record<string, unknown>>,
  extra: { readonly signal: AbortSignal },
) => Answer | Promise<Answer>

/** A real server in this process: each tool takes a text and answers what its function returns. */
export function serverOf(
  tools: Readonly<Record<string, ToolRun>>,
  { instructions, isReadOnly = true }: { readonly instructions?: string; readonly isReadOnly?: boolean } = {},
): McpServer {
  const server = new McpServer(
    { name: 'x', version: '1' },
    instructions === undefined ? {} : { instructions },
  )
  for (const [name, run] of Object.entries(tools)) {
    const annotations = { readOnlyHint: isReadOnly }
    const inputSchema = z.object({ text: z.string().optional() })
    server.registerTool(
      name,
      { description: `Does ${name}.`, inputSchema, annotations },
      async (args, context) => {
        const answer = await run(args, { signal: context.mcpReq.signal })
        const { text, isError = false } = typeof answer === 'string' ? { text: answer } : answer
        return { content: [{ type: 'text', text }], isError }
      },
    )
  }
  return server
}

export interface AgentWorld extends AsyncDisposable {
  readonly host: Host
  readonly home: string
  readonly agent: Agent
  readonly events: readonly AgentEvent[]
}

/** A host with servers in this process, and an agent with a model on it. */
export async function openAgent(
  servers: Readonly<Record<string, McpServer>>,
  model: AgentOptions['model'],
  {
    host: hostOptions = {},
    files = {},
    clock,
    home = newHome(),
    ...options
  }: Partial<Omit<AgentOptions, 'host'>> & {
    readonly host?: HostOptions
    readonly home?: string
    /** Files of the project. */
    readonly files?: Readonly<Record<string, string>>
    /** The agent's own. */
    readonly clock?: Clock
  } = {},
): Promise<AgentWorld> {
  writeFiles(home, files)
  const platform = { home, env: { HOME: home }, cwd: home }
  const host = await createHost({
    cwd: home,
    servers: Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, { server }])),
    platform,
    ...hostOptions,
  })
  const events: AgentEvent[] = []
  const agent = await createAgent({
    host,
    model,
    asks: 'rules',
    cwd: home,
    platform: { ...platform, ...(clock && { clock }) },
    on: (event) => events.push(event),
    ...options,
  })
  return {
    host,
    home,
    agent,
    events,
    async [Symbol.asyncDispose]() {
      await agent.close()
      await host.close()
    },
  }
}

/** The events of a type. */
export function eventsOf<T extends AgentEvent['type']>(events: readonly AgentEvent[], type: T) {
  return events.filter((event): event is Extract<AgentEvent, { readonly type: T }> => event.type === type)
}
