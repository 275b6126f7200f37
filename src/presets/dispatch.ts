import type { Preset } from '../model/preset.ts'

export const dispatchPreset: Preset = {
  name: 'dispatch',
  title: 'Dispatch',
  sources: ['dispatch'],
  addsEnabledSources: false,
  connecting: {
    lifecycle: 'lazy',
    restart: 'backoff',
    protocol: 'legacy',
    stop: { eofGraceMs: 2000, termGraceMs: 3000 },
    hasRoots: false,
    clientInfo: { name: 'dispatch', version: '0.0.0' },
  },
  calling: { naming: 'double', render: 'dispatch', properties: 'as-sent', checksArguments: true },
  rows: [
    {
      topic: 'sources',
      rule: '.dispatch/mcp.json, else opencode.json, in the working directory only',
      ids: ['D5', 'D8', 'D9'],
    },
    { topic: 'merging', rule: 'the whole first file', ids: ['D10', 'C7'] },
    { topic: 'values', rule: 'as they stand', ids: ['D26'] },
    { topic: 'trust', rule: 'project files wait for trust', ids: ['D23', 'C30'] },
    {
      topic: 'connecting',
      rule: 'on first access; initialize with 2025-11-25, no capabilities, as dispatch 0.0.0',
      ids: ['D14', 'D22', 'L2', 'L8', 'C13', 'C28', 'C31'],
    },
    { topic: 'restart', rule: 'with back-off', ids: ['C14'] },
    {
      topic: 'stop',
      rule: 'end of input, 2 s, SIGTERM, 3 s, SIGKILL, to the whole process group',
      ids: ['C15'],
    },
    { topic: 'names', rule: '<server>__<tool>', ids: ['D16', 'L1'] },
    {
      topic: 'results',
      rule: 'texts, images and resources as one text; nothing is nothing',
      ids: ['D20', 'C17'],
    },
  ],
}
