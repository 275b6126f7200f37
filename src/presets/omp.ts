import type { Preset } from '../model/preset.ts'

export const ompPreset: Preset = {
  name: 'omp',
  title: 'omp',
  sources: ['oh-my-pi'],
  addsEnabledSources: false,
  rows: [
    {
      topic: 'sources',
      rule: '.omp/mcp.json, ~/.omp, the .claude, .cursor and .vscode folders, then root mcp.json and .mcp.json',
      ids: ['O7', 'C8'],
    },
    {
      topic: 'merging',
      rule: 'names are claimed first, then entries are validated; nothing is merged',
      ids: ['O1', 'O6'],
    },
    {
      topic: 'values',
      rule: '${VAR}; in headers and env also !command in the shell and variable names',
      ids: ['O9', 'O12'],
    },
    { topic: 'trust', rule: 'project files wait for trust', ids: ['C30'] },
  ],
}
