import type { Preset } from '../model/preset.ts'

export const defaultPreset: Preset = {
  name: 'default',
  title: 'Plugboard',
  sources: ['plugboard'],
  addsEnabledSources: true,
  rows: [
    {
      topic: 'sources',
      rule: '--config, PLUGBOARD_CONFIG, managed, the project’s .mcp.json and mcp.json, the user’s mcp.json, then enabled clients',
      ids: ['C8'],
    },
    { topic: 'merging', rule: 'per name; the highest usable declaration counts', ids: ['C7'] },
    { topic: 'values', rule: 'templates; an unset variable is a diagnostic', ids: ['C19'] },
    { topic: 'trust', rule: 'what a project declares waits for a person', ids: ['C30'] },
  ],
}
