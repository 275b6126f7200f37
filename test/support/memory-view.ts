import { Catalog } from '../../src/catalog/catalog.ts'
import { CallLines } from '../../src/calls/call-lines.ts'
import { createSearch } from '../../src/catalog/search.ts'
import { createVolatileMemory } from '../../src/config/file-memory.ts'
import type { Memory } from '../../src/model/memory.ts'
import { Redactor } from '../../src/model/secrets/redactor.ts'
import type { Status } from '../../src/model/status.ts'
import type { ToolDefinition } from '../../src/model/tool.ts'
import { defaultPreset } from '../../src/presets/default-preset.ts'
import { compileRules } from '../../src/policy/call-rules.ts'
import type { Rule } from '../../src/policy/call-rules.ts'
import type { Layer } from '../../src/policy/layers.ts'
import { createFakeClock } from '../../src/testing/fake-clock.ts'
import type { ViewContext, ViewPolicy } from '../../src/calls/view/view-context.ts'
import { connectProcess, initialized } from './connection.ts'
import { serverOf } from './server.ts'
import type { WireRequest } from './wire.ts'

export interface MemoryContext extends ViewContext {
  readonly catalog: Catalog
  /** The requests that the servers received. */
  readonly asked: readonly WireRequest[]
  /** Sets the state of a server. */
  setState(server: string, state: Status['state'] | undefined): void
  setPolicy(policy: ViewPolicy): void
}

export interface MemoryOptions extends Partial<Omit<ViewContext, 'catalog' | 'policy' | 'servers'>> {
  /** Names of tools, or their definitions, by server. */
  readonly servers: Readonly<Record<string, readonly (string | ToolDefinition)[]>>
  readonly layers?: readonly Layer[]
  readonly rules?: readonly Rule[]
}

export const emptySnapshot = { tools: [], resources: [], resourceTemplates: [], prompts: [], at: '' }

export function definitionOf(tool: string | ToolDefinition): ToolDefinition {
  return typeof tool === 'string' ? { name: tool, inputSchema: { type: 'object' } } : tool
}

/** The context of a view, within this process. Its servers answer with the name of the called tool. */
export function memoryContext({ servers, layers = [], rules = [], ...more }: MemoryOptions): MemoryContext {
  const catalog = new Catalog({ native: (more.native ?? []).map(({ name }) => name) })
  for (const [name, tools] of Object.entries(servers)) {
    const server = { name, tools: { allow: null, deny: [] } }
    catalog.replace(server, { ...emptySnapshot, tools: tools.map(definitionOf) })
  }
  const clock = createFakeClock()
  const memory: Memory = createVolatileMemory(() => clock.now())
  const states = new Map<string, Status['state']>()
  const asked: WireRequest[] = []
  let policy: ViewPolicy = { layers, rules: compileRules(rules) }
  return {
    catalog,
    asked,
    search: createSearch(() => catalog.slices()),
    servers: () => Object.keys(servers),
    wait: async () => undefined,
    isReady: () => true,
    memory,
    damage: () => undefined,
    native: [],
    policy: () => policy,
    calling: defaultPreset.calling,
    hasResourceTools: false,
    callListener: () => undefined,
    listServer: async () => undefined,
    isOutdated: () => false,
    listAgain: async () => undefined,
    hasListed: (name) => states.get(name) === 'ready',
    subscribe: async () => ({ [Symbol.dispose]: () => undefined }),
    refresh: () => undefined,
    scanSkill: async () => [],
    spill: async () => undefined,
    redactor: new Redactor(),
    clock,
    lines: new CallLines({ rule: 'server', clock, maxQueued: 100 }),
    serverOf: (name) => (name in servers ? serverOf(name) : undefined),
    // A view reads only the state of a server.
    statusOf: (name) => (states.has(name) ? ({ state: states.get(name), since: 0 } as Status) : undefined),
    unusable: () => [],
    askable: () => [],
    lease: () => Promise.reject(new Error('Nothing is leased here.')),
    connectionOf: async (name) =>
      connectProcess({
        script(question, child) {
          asked.push(question)
          const { id, method, params } = question
          const text = `${name}: ${params['name'] as string}` // the tool that is called
          child.answer(id, method === 'initialize' ? initialized : { content: [{ type: 'text', text }] })
        },
      }).connection,
    ...more,
    setState(server, state) {
      if (state) states.set(server, state)
      else states.delete(server)
    },
    setPolicy(next) {
      policy = next
    },
  }
}
