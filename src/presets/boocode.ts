import type { Preset } from '../model/preset.ts'

export const boocodePreset: Preset = {
  name: 'boocode',
  title: 'BooCode v1.15.0',
  sources: ['boocode'],
  addsEnabledSources: false,
  connecting: {
    lifecycle: 'eager',
    restart: 'never',
    protocol: 'legacy',
    stop: { eofGraceMs: 0, termGraceMs: 5000 },
    hasRoots: false,
    refuses: { kind: 'sse', message: 'BooCode has no SSE transport: use streamableHttp or stdio.' },
  },
  calling: {
    naming: 'single',
    render: 'boocode',
    properties: 'as-sent',
    checksArguments: false,
    maxResultBytes: 5 * 1024 * 1024,
  },
  readOnly: 'reject-declared',
  keepsNothing: true,
  rows: [
    {
      topic: 'sources',
      rule: 'MCP_CONFIG_PATH, if set, is the only file read; else /data/mcp.json, else data/mcp.json; absent means no MCP',
      ids: ['B2', 'B3', 'B4'],
    },
    { topic: 'merging', rule: 'one file', ids: ['C7'] },
    { topic: 'values', rule: 'as they stand', ids: ['B5'] },
    { topic: 'trust', rule: 'the file’s presence is the opt-in', ids: ['B4', 'C30'] },
    {
      topic: 'connecting',
      rule: 'all at start; initialize without a probe; no SSE',
      ids: ['B7', 'B20', 'C13', 'C31'],
    },
    { topic: 'restart', rule: 'never', ids: ['B21', 'C14'] },
    { topic: 'stop', rule: 'SIGTERM at once, SIGKILL after 5 s', ids: ['B22', 'C15'] },
    { topic: 'tools', rule: 'one that declares to write is refused', ids: ['B18', 'C12'] },
    { topic: 'names', rule: '<server>_<tool>', ids: ['P2', 'B9'] },
    { topic: 'arguments', rule: 'passed on as they are; the server judges them', ids: ['P7', 'C32'] },
    {
      topic: 'results',
      rule: 'texts joined, resources as JSON, (no output); cut at 5 × 1024² bytes',
      ids: ['P13', 'P14', 'P15', 'B19'],
    },
    { topic: 'memory', rule: 'nothing is kept between runs', ids: ['B24', 'C33'] },
  ],
}
