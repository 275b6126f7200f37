import type { SourceId } from './places.ts'
import type { Source } from './source.ts'

/** Readers are loaded when their source is used; the table of places is enough to find files. */
const loaders: Readonly<Record<SourceId, () => Promise<Source>>> = {
  plugboard: async () => (await import('./plugboard.ts')).plugboard,
  boocode: async () => (await import('./boocode.ts')).boocode,
  dispatch: async () => (await import('./dispatch.ts')).dispatch,
  'oh-my-pi': async () => (await import('./oh-my-pi.ts')).ohMyPi,
  'claude-desktop': async () => (await import('./claude-desktop.ts')).claudeDesktop,
  'claude-code': async () => (await import('./claude-code.ts')).claudeCode,
  cursor: async () => (await import('./cursor.ts')).cursor,
  vscode: async () => (await import('./vscode.ts')).vscode,
  'visual-studio': async () => (await import('./visual-studio.ts')).visualStudio,
  windsurf: async () => (await import('./windsurf.ts')).windsurf,
  'gemini-cli': async () => (await import('./gemini-cli.ts')).geminiCli,
  codex: async () => (await import('./codex.ts')).codex,
  opencode: async () => (await import('./opencode.ts')).opencode,
  zed: async () => (await import('./zed.ts')).zed,
  cline: async () => (await import('./cline.ts')).cline,
  'roo-code': async () => (await import('./roo-code.ts')).rooCode,
  'kilo-code': async () => (await import('./kilo-code.ts')).kiloCode,
  goose: async () => (await import('./goose.ts')).goose,
  amp: async () => (await import('./amp.ts')).amp,
  continue: async () => (await import('./continue.ts')).continueDev,
  'lm-studio': async () => (await import('./lm-studio.ts')).lmStudio,
  kiro: async () => (await import('./kiro.ts')).kiro,
  junie: async () => (await import('./junie.ts')).junie,
  'copilot-cli': async () => (await import('./copilot-cli.ts')).copilotCli,
  'copilot-coding-agent': async () => (await import('./copilot-coding-agent.ts')).copilotCodingAgent,
  warp: async () => (await import('./warp.ts')).warp,
  'factory-droid': async () => (await import('./factory-droid.ts')).factoryDroid,
  'qwen-code': async () => (await import('./qwen-code.ts')).qwenCode,
  crush: async () => (await import('./crush.ts')).crush,
  mcporter: async () => (await import('./mcporter.ts')).mcporter,
  pi: async () => (await import('./pi.ts')).pi,
  inspector: async () => (await import('./inspector.ts')).inspector,
  'sep-2633': async () => (await import('./sep-2633.ts')).sep2633,
  'registry-server-json': async () => (await import('./registry-server-json.ts')).registryServerJson,
  mcpb: async () => (await import('./mcpb.ts')).mcpb,
  'agent-plugins': async () => (await import('./agent-plugins.ts')).agentPlugins,
}

export function loadSource(id: SourceId): Promise<Source> {
  return loaders[id]()
}
