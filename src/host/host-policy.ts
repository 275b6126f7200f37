import type { ViewPolicy } from '../calls/view/view-context.ts'
import { acceptanceOf } from '../config/trust/acceptance-mode.ts'
import { readToolSettings } from '../config/read-tool-settings.ts'
import { toolSettingKeys } from '../config/settings.ts'
import { createWorld } from '../config/world.ts'
import type { AcceptWord } from '../model/definition/accept-word.ts'
import type { Agent } from '../model/agent.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { HostError } from '../model/error.ts'
import { nearest } from '../model/near.ts'
import { agentRules, compileRules } from '../policy/call-rules.ts'
import type { Rule } from '../policy/call-rules.ts'
import { readDeclaredPolicy } from '../policy/declared-policy.ts'
import type { DeclaredPolicy } from '../policy/declared-policy.ts'
import { agentLayers } from '../policy/layers.ts'
import type { Layer } from '../policy/layers.ts'
import type { ReadOnlyGuard } from '../policy/read-only.ts'
import type { ToolSettings } from '../model/tool-settings.ts'
import type { HostContext } from './host-context.ts'

/** The policy of every view: the embedder's, the user's and the project's (D-7). */
export interface SharedPolicy {
  readonly layers: readonly Layer[]
  readonly rules: readonly Rule[]
  readonly problems: readonly Diagnostic[]
  /** How definitions are accepted, as the settings of the person and the project say, or else the preset. */
  readonly accept: AcceptWord
  /** What the settings say, as text: with another one the policy is another one. */
  readonly text: string
}

export async function readSharedPolicy(context: HostContext): Promise<SharedPolicy> {
  const { projectFiles = true } = context.options
  const { settings, diagnostics } =
    context.options.settings === false
      ? { settings: [], diagnostics: [] }
      : await readToolSettings(context.platform, { projectFiles })
  const declared = settings.map(readDeclaredPolicy)
  return {
    layers: [embedderLayer(context), ...declared.flatMap(({ layers }) => layers)],
    rules: [...(context.options.policy ?? []), ...declared.flatMap(({ rules }) => rules)],
    problems: [...diagnostics, ...declared.flatMap(toDiagnostics)],
    accept: acceptanceOf(settings, context.preset.name).mode,
    text: textOf(settings, diagnostics),
  }
}

function textOf(settings: readonly ToolSettings[], diagnostics: readonly Diagnostic[]): string {
  const keys = Object.keys(toolSettingKeys)
  const declared = settings.map(({ kind, value }) => [kind, keys.map((key) => value[key] ?? null)])
  return JSON.stringify([declared, diagnostics.map(({ message, origin }) => [message, origin?.file])])
}

/** The embedder's globs and read-only guard. */
function embedderLayer({ options, preset }: HostContext): Layer {
  const guard = options.readOnly ?? preset.readOnly
  return {
    kind: 'user',
    ...(options.tools && { tools: options.tools }),
    ...(guard && { readOnly: asGuard(guard) }),
  }
}

function asGuard(guard: ReadOnlyGuard['policy'] | ReadOnlyGuard): ReadOnlyGuard {
  return typeof guard === 'string' ? { policy: guard } : guard
}

function toDiagnostics({ complaints }: DeclaredPolicy): readonly Diagnostic[] {
  return complaints.map(({ message, origin }) => ({
    code: 'settings-invalid',
    severity: 'error',
    message: `Settings: ${message}`,
    origin,
  }))
}

export function toViewPolicy({ rules, text: _text, ...shared }: SharedPolicy): ViewPolicy {
  return { ...shared, rules: compileRules(rules) }
}

/** The policies of the agents in use, as their files declare them now. */
export class AgentPolicies {
  readonly #context: HostContext
  readonly #shared: () => SharedPolicy
  readonly #policies = new Map<string, ViewPolicy>()
  #read: ReturnType<typeof readAll> | undefined

  constructor(context: HostContext, shared: () => SharedPolicy) {
    this.#context = context
    this.#shared = shared
  }

  /** Reads the agent files again. Views that are open keep the policies they have. */
  async list(): Promise<readonly Agent[]> {
    return (await (this.#read = readAll(this.#context))).agents
  }

  /** Returns a function that gives the current policy of the agent. */
  async policyOf(name: string): Promise<() => ViewPolicy> {
    const { agents, diagnostics } = await (this.#read ??= readAll(this.#context))
    const agent = findAgent(name, agents)
    const problems = problemsOf(agent, agents, diagnostics)
    const policy = this.#policies.get(name) ?? this.#toPolicy(agentLayers(agent), agent, problems)
    this.#policies.set(name, policy)
    return () => this.#policies.get(name) ?? policy
  }

  /** Reads the agent files again. A view of an agent that is gone shows nothing. */
  async reload(): Promise<void> {
    if (!this.#read) return
    const { agents, diagnostics } = await (this.#read = readAll(this.#context))
    for (const name of this.#policies.keys()) {
      const agent = agents.find((each) => each.name === name)
      const layers: readonly Layer[] = agent ? agentLayers(agent) : [emptyLayer(name)]
      this.#policies.set(name, this.#toPolicy(layers, agent, problemsOf(agent, agents, diagnostics)))
    }
  }

  #toPolicy(layers: readonly Layer[], agent: Agent | undefined, problems: readonly Diagnostic[]): ViewPolicy {
    const shared = this.#shared()
    return {
      layers: [...shared.layers, ...layers],
      rules: compileRules([...shared.rules, ...(agent ? agentRules(agent) : [])]),
      problems: [...shared.problems, ...problems],
    }
  }
}

/** The problems in an agent's file, without those in the sections of other agents. */
function problemsOf(
  agent: Agent | undefined,
  agents: readonly Agent[],
  diagnostics: readonly Diagnostic[],
): readonly Diagnostic[] {
  if (!agent) return []
  const { file, line: own } = agent.origin
  const later = agents.map(({ origin }) =>
    origin.file === file && origin.line > own ? origin.line : Infinity,
  )
  const next = Math.min(...later)
  const isOfAnother = (line: number) => line < own || line >= next
  return [
    ...problemsOf(agent.within, agents, diagnostics),
    ...diagnostics.filter(({ origin }) => origin?.file === file && !isOfAnother(origin.line ?? own)),
  ]
}

function emptyLayer(agent: string): Layer {
  return { kind: 'agent', of: agent, tools: [], servers: [] }
}

async function readAll({ platform, options, preset }: HostContext) {
  const { readAgents } = await import('../sources/agents/read-agents.ts')
  return readAgents(await createWorld(platform, options), platform.files, preset.agentFiles)
}

function findAgent(name: string, agents: readonly Agent[]): Agent {
  const agent = agents.find((each) => each.name === name)
  if (agent) return agent
  const near = nearest(
    name,
    agents.map((each) => each.name),
  )
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(' or ')}?`
      : 'Agents are declared in AGENTS.md and agent files.'
  throw new HostError('agent.unknown', { agent: name, near }, `There is no agent "${name}".`, { hint })
}
