import type { Preset } from '../model/preset.ts'

export const ompPreset: Preset = {
  name: 'omp',
  title: 'omp',
  sources: ['oh-my-pi'],
  addsEnabledSources: false,
  connecting: {
    lifecycle: 'background',
    restart: 'backoff',
    stop: { eofGraceMs: 2000, termGraceMs: 3000 },
    hasRoots: true,
  },
  calling: { naming: 'omp', render: 'omp', properties: 'always', checksArguments: true },
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
    {
      topic: 'connecting',
      rule: 'all at start, in the background; the protocol era is probed',
      ids: ['C13', 'C31'],
    },
    { topic: 'restart', rule: 'with back-off; 5 crashes in 3 minutes end it', ids: ['C14'] },
    {
      topic: 'stop',
      rule: 'end of input, 2 s, SIGTERM, 3 s, SIGKILL, to the whole process group',
      ids: ['C15'],
    },
    { topic: 'names', rule: 'mcp_<server>_<tool> of small letters and _ alone', ids: ['O13', 'C10'] },
    { topic: 'schemas', rule: 'an object without properties gets empty ones', ids: ['O14'] },
    {
      topic: 'results',
      rule: 'one text; failures begin with “Error: ” or “MCP error: ”',
      ids: ['O15', 'C16'],
    },
  ],
}
