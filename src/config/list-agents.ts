import { readSettings } from './settings.ts'
import { createWorld } from './world.ts'
import { loadPreset } from '../presets/load-preset.ts'
import { platformOf } from './discover-options.ts'
import type { DiscoverOptions } from './discover-options.ts'
import type { Agent } from '../model/agent.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { AgentFileRules } from '../model/preset.ts'
import type { Platform } from '../platform/platform.ts'

export type AgentOptions = Pick<DiscoverOptions, 'cwd' | 'preset' | 'platform' | 'config' | 'strictType'>

/** Every agent that is defined for this folder, with diagnostics about their files. Starts nothing. */
export async function listAgents(options: AgentOptions = {}): Promise<{
  readonly agents: readonly Agent[]
  readonly diagnostics: readonly Diagnostic[]
}> {
  const platform = await platformOf(options)
  const { readAgents } = await import('../sources/agents/read-agents.ts')
  return readAgents(await createWorld(platform, options), platform.files, await agentRules(options, platform))
}

/** The only files that agents are read from under a preset that names them; otherwise none are listed. */
export async function listAgentFiles(options: AgentOptions = {}): Promise<readonly string[]> {
  const platform = await platformOf(options)
  const rules = await agentRules(options, platform)
  if (!rules) return []
  const { agentFilesFor } = await import('../sources/agents/read-agents.ts')
  return agentFilesFor(rules, await createWorld(platform, options))
}

async function agentRules({ preset }: AgentOptions, platform: Platform): Promise<AgentFileRules | undefined> {
  return (await loadPreset(preset ?? (await readSettings(platform)).settings.preset ?? 'default')).agentFiles
}
