import { dirname, isAbsolute, join } from 'node:path'
import { appFile, home, movable, markMoved, place, system, upward } from './place-builders.ts'
import type { FilePlace, World } from './source.ts'

// Places that need more than a path: those that differ by operating system, or that a variable moves.

export function plugboardManaged(w: World): string {
  if (w.os === 'darwin') return 'Library/Application Support/Plugboard/managed-mcp.json'
  return w.os === 'win32' ? 'Program Files/Plugboard/managed-mcp.json' : 'etc/plugboard/managed-mcp.json'
}

export function claudeManaged(w: World, file: string): string {
  if (w.os === 'darwin') return `Library/Application Support/ClaudeCode/${file}`
  return w.os === 'win32' ? `Program Files/ClaudeCode/${file}` : `etc/claude-code/${file}`
}

export const gemini = { variable: 'GEMINI_CLI_SYSTEM', folder: 'gemini-cli', macFolder: 'GeminiCli' }
export const qwen = { variable: 'QWEN_CODE_SYSTEM', folder: 'qwen-code', macFolder: 'QwenCode' }

/** System settings of Gemini CLI and its fork: `settings.json` ranks above the user's file, `system-defaults.json` below. */
export function geminiSystem(
  w: World,
  { variable, folder, macFolder }: typeof gemini,
  file: 'settings.json' | 'system-defaults.json',
): FilePlace {
  const above = file === 'settings.json'
  const options = { scope: above ? 'system' : 'system-defaults', authority: 'managed' } as const
  const usual = system(w, systemPath(w), options)
  const override = w.env[`${variable}_${above ? 'SETTINGS' : 'DEFAULTS'}_PATH`]
  if (!override || !isAbsolute(override)) return usual
  return markMoved(w, place(override, { root: dirname(override), ...options }), usual.path)

  function systemPath({ os }: World): string {
    if (os === 'darwin') return `Library/Application Support/${macFolder}/${file}`
    return os === 'win32' ? `ProgramData/${folder}/${file}` : `etc/${folder}/${file}`
  }
}

export function opencodeManaged(w: World): readonly FilePlace[] {
  const folder =
    w.os === 'darwin'
      ? 'Library/Application Support/opencode'
      : w.os === 'win32'
        ? 'ProgramData/opencode'
        : 'etc/opencode'
  return ['opencode.json', 'opencode.jsonc'].map((file) =>
    system(w, join(folder, file), { scope: 'managed', authority: 'managed' }),
  )
}

/** Other clients' files, at the paths that mcporter imports from. */
export function mcporterImports(w: World): readonly FilePlace[] {
  return [
    ...upward(w, ['.cursor/mcp.json'], importedFrom('cursor')),
    home(w, '.cursor/mcp.json', importedFrom('cursor')),
    home(w, '.claude.json', importedFrom('claude-code')),
    { ...appFile(w, 'Claude/claude_desktop_config.json'), ...importedFrom('claude-desktop') },
    home(w, '.codex/config.toml', importedFrom('codex')),
    home(w, '.codeium/windsurf/mcp_config.json', importedFrom('windsurf')),
    ...upward(w, ['opencode.jsonc', 'opencode.json'], importedFrom('opencode')),
    ...upward(w, ['.vscode/mcp.json'], importedFrom('vscode')),
  ]
}

function importedFrom(kind: string) {
  return { scope: `import:${kind}`, role: `import:${kind}` }
}

/** Other clients' files, at the paths that pi-mcp-adapter imports from. Some differ from the client's own path. */
export function piImports(w: World): readonly FilePlace[] {
  return [
    home(w, '.cursor/mcp.json', importedFrom('cursor')),
    home(w, '.claude/mcp.json', importedFrom('claude-code')),
    home(w, '.claude.json', importedFrom('claude-code')),
    home(w, 'Library/Application Support/Claude/claude_desktop_config.json', importedFrom('claude-desktop')),
    home(w, '.codex/config.toml', importedFrom('codex')),
    ...upward(w, ['opencode.json'], importedFrom('opencode')),
    home(w, '.config/opencode/opencode.json', importedFrom('opencode')),
    home(w, '.windsurf/mcp.json', importedFrom('windsurf')),
    ...upward(w, ['.vscode/mcp.json'], importedFrom('vscode')),
  ]
}

export function crushData(w: World): readonly FilePlace[] {
  const [variable, usual] =
    w.os === 'win32'
      ? (['LOCALAPPDATA', 'AppData/Local'] as const)
      : (['XDG_DATA_HOME', '.local/share'] as const)
  return [movable(w, variable, usual, 'crush/crush.json', { scope: 'data' })]
}
