import type { Preset } from '../model/preset.ts'

export const dispatchPreset: Preset = {
  name: 'dispatch',
  title: 'Dispatch',
  sources: ['dispatch'],
  addsEnabledSources: false,
  rows: [
    {
      topic: 'sources',
      rule: '.dispatch/mcp.json, else opencode.json, in the working directory only',
      ids: ['D5', 'D8', 'D9'],
    },
    { topic: 'merging', rule: 'the whole first file', ids: ['D10', 'C7'] },
    { topic: 'values', rule: 'as they stand', ids: ['D26'] },
    { topic: 'trust', rule: 'project files wait for trust', ids: ['D23', 'C30'] },
  ],
}
