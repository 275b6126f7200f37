import type { Preset } from '../model/preset.ts'

export const boocodePreset: Preset = {
  name: 'boocode',
  title: 'BooCode v1.15.0',
  sources: ['boocode'],
  addsEnabledSources: false,
  rows: [
    {
      topic: 'sources',
      rule: 'MCP_CONFIG_PATH, if set, is the only file read; else /data/mcp.json, else data/mcp.json; absent means no MCP',
      ids: ['B2', 'B3', 'B4'],
    },
    { topic: 'merging', rule: 'one file', ids: ['C7'] },
    { topic: 'values', rule: 'as they stand', ids: ['B5'] },
    { topic: 'trust', rule: 'the file’s presence is the opt-in', ids: ['B4', 'C30'] },
  ],
}
