import type { Preset } from '../model/preset.ts'

export const defaultPreset: Preset = {
  name: 'default',
  title: 'Plugboard',
  sources: ['plugboard'],
  addsEnabledSources: true,
  connecting: {
    lifecycle: 'lazy',
    restart: 'backoff',
    stop: { eofGraceMs: 2000, termGraceMs: 3000 },
    hasRoots: true,
  },
  calling: { naming: 'double', render: 'default', properties: 'as-sent', checksArguments: true },
  rows: [
    {
      topic: 'sources',
      rule: '--config, PLUGBOARD_CONFIG, managed, the project’s .mcp.json and mcp.json, the user’s mcp.json, then enabled clients',
      ids: ['C8'],
    },
    { topic: 'merging', rule: 'per name; the highest usable declaration counts', ids: ['C7'] },
    { topic: 'values', rule: 'templates; an unset variable is a diagnostic', ids: ['C19'] },
    { topic: 'trust', rule: 'what a project declares waits for a person', ids: ['C30'] },
    { topic: 'connecting', rule: 'on demand; the protocol era is probed', ids: ['C13', 'C29', 'C31'] },
    { topic: 'restart', rule: 'with back-off; 5 crashes in 3 minutes end it', ids: ['C14'] },
    {
      topic: 'stop',
      rule: 'end of input, 2 s, SIGTERM, 3 s, SIGKILL, to the whole process group',
      ids: ['C15'],
    },
    { topic: 'names', rule: '<server>__<tool>', ids: ['C9', 'C10', 'C11'] },
    { topic: 'arguments', rule: 'checked before a call, with errors a model can act on', ids: ['C32'] },
    { topic: 'results', rule: 'placeholders for what is no text; (no output) for nothing', ids: ['C17'] },
  ],
}
