import type { SourceId } from '../places.ts'
import type { Source } from '../source.ts'

/** Readers are loaded on first use; finding files needs only the table of places. */
const loaders: Readonly<Record<SourceId, () => Promise<Source>>> = {
  plugboard: async () => (await import('./plugboard/plugboard.ts')).plugboard,
  boocode: async () => (await import('./boocode/boocode-source.ts')).boocode,
  dispatch: async () => (await import('./dispatch/dispatch-source.ts')).dispatch,
  'oh-my-pi': async () => (await import('./oh-my-pi/oh-my-pi.ts')).ohMyPi,
  'claude-desktop': async () => (await import('./claude-desktop/claude-desktop.ts')).claudeDesktop,
  'claude-code': async () => (await import('./claude-code/claude-code.ts')).claudeCode,
  cursor: async () => (await import('./cursor/cursor.ts')).cursor,
  vscode: async () => (await import('./vscode/vscode.ts')).vscode,
  'visual-studio': async () => (await import('./visual-studio/visual-studio.ts')).visualStudio,
  windsurf: async () => (await import('./windsurf/windsurf.ts')).windsurf,
  'gemini-cli': async () => (await import('./gemini-cli/gemini-cli.ts')).geminiCli,
  codex: async () => (await import('./codex/codex.ts')).codex,
  opencode: async () => (await import('./opencode/opencode.ts')).opencode,
  zed: async () => (await import('./zed/zed.ts')).zed,
  cline: async () => (await import('./cline/cline.ts')).cline,
  'roo-code': async () => (await import('./roo-code/roo-code.ts')).rooCode,
  'kilo-code': async () => (await import('./kilo-code/kilo-code.ts')).kiloCode,
  goose: async () => (await import('./goose/goose.ts')).goose,
  amp: async () => (await import('./amp/amp.ts')).amp,
  continue: async () => (await import('./continue/continue.ts')).continueDev,
  'lm-studio': async () => (await import('./lm-studio/lm-studio.ts')).lmStudio,
  kiro: async () => (await import('./kiro/kiro.ts')).kiro,
  junie: async () => (await import('./junie/junie.ts')).junie,
  'copilot-cli': async () => (await import('./copilot-cli/copilot-cli.ts')).copilotCli,
  'copilot-coding-agent': async () =>
    (await import('./copilot-coding-agent/copilot-coding-agent.ts')).copilotCodingAgent,
  warp: async () => (await import('./warp/warp.ts')).warp,
  'factory-droid': async () => (await import('./factory-droid/factory-droid.ts')).factoryDroid,
  'qwen-code': async () => (await import('./qwen-code/qwen-code.ts')).qwenCode,
  crush: async () => (await import('./crush/crush.ts')).crush,
  mcporter: async () => (await import('./mcporter/mcporter.ts')).mcporter,
  pi: async () => (await import('./pi/pi.ts')).pi,
  inspector: async () => (await import('./inspector/inspector.ts')).inspector,
  'sep-2633': async () => (await import('./sep-2633/sep-2633.ts')).sep2633,
  'registry-server-json': async () =>
    (await import('./registry-server-json/registry-server-json.ts')).registryServerJson,
  mcpb: async () => (await import('./mcpb/mcpb.ts')).mcpb,
  'agent-plugins': async () => (await import('./agent-plugins/agent-plugins.ts')).agentPlugins,
}

export function loadSource(id: SourceId): Promise<Source> {
  return loaders[id]()
}
