import { readSettings } from './settings.ts'
import { createWorld } from './world.ts'
import { loadPreset } from '../presets/load-preset.ts'
import { platformOf } from './discover-options.ts'
import type { DiscoverOptions } from './discover-options.ts'
import type { Agent } from '../model/agent.ts'
import type { Diagnostic } from '../model/diagnostic.ts'

/** Every agent that is defined for this folder, with diagnostics about their files. Starts nothing. */
export async function listAgents(
  options: Pick<DiscoverOptions, 'cwd' | 'preset' | 'platform'> = {},
): Promise<{
  readonly agents: readonly Agent[]
  readonly diagnostics: readonly Diagnostic[]
}> {
  const platform = await platformOf(options)
  const { readAgents } = await import('../sources/agents/read-agents.ts')
  const name = options.preset ?? (await readSettings(platform)).settings.preset ?? 'default'
  const { agentFiles } = await loadPreset(name)
  return readAgents(await createWorld(platform), platform.files, agentFiles)
}
