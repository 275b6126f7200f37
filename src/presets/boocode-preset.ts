import { namingSchemes } from '../model/preset.ts'
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
    naming: namingSchemes.single,
    descriptions: 'as-sent',
    render: { resource: 'json', empty: '(no output)' },
    properties: 'as-sent',
    checksArguments: false,
    serial: 'server',
    maxResultBytes: 5 * 1024 * 1024,
    maxModelBytes: Infinity,
  },
  readOnly: 'reject-declared',
  keepsNothing: true,
  agentFiles: { source: 'boocode', movedBy: 'MCP_CONFIG_PATH' },
  rows: [
    {
      topic: 'sources',
      rule: 'MCP_CONFIG_PATH, if set, is the only file read; else /data/mcp.json, else data/mcp.json; without a file there is no MCP; entries of opencode can be pasted',
      ids: ['B2', 'B3', 'B4', 'B5', 'B26', 'B27', 'C2'],
    },
    { topic: 'merging', rule: 'only one file is read', ids: ['B2', 'C7'] },
    { topic: 'values', rule: 'used literally', ids: ['B5'] },
    { topic: 'trust', rule: 'the file’s presence is the opt-in', ids: ['B4', 'C30'] },
    {
      topic: 'lifecycle',
      rule: 'all servers start at once and are awaited; a server that fails is left out with a warning',
      ids: ['P11', 'B1', 'B20', 'B23', 'C13'],
    },
    {
      topic: 'protocol',
      rule: 'initialize without a probe; streamableHttp and stdio, no SSE',
      ids: ['P1', 'B7', 'B8', 'C6', 'C31'],
    },
    {
      topic: 'client info',
      rule: 'plugboard and its version, unless the embedder sets another',
      ids: ['C28'],
    },
    { topic: 'restart', rule: 'never, not even after a failed start', ids: ['B21', 'C14'] },
    { topic: 'shutdown', rule: 'SIGTERM to all programs at once, SIGKILL after 5 s', ids: ['B22', 'C15'] },
    {
      topic: 'names',
      rule: '<server>_<tool>; calls are routed by a map, not by splitting the name',
      ids: ['P2', 'P3', 'B9', 'B10', 'B11', 'C9'],
    },
    { topic: 'descriptions', rule: 'as the server sent them', ids: ['P6'] },
    { topic: 'schemas', rule: 'as the server sent them', ids: ['P6'] },
    {
      topic: 'tools',
      rule: 'tools that declare they write are rejected; globs per agent, from the AGENTS.md beside the configuration, also apply to tools registered later',
      ids: ['P4', 'P5', 'P8', 'B12', 'B13', 'B14', 'B15', 'B16', 'B17', 'B18', 'C12', 'C24'],
    },
    {
      topic: 'arguments',
      rule: 'passed on unchecked, the server checks them; calls of models run one at a time on a server, except where `parallel` allows more; host.call itself does not wait',
      ids: ['P7', 'C25', 'C32'],
    },
    {
      topic: 'limits',
      rule: 'a result is cut at 5 × 1024² bytes with a note; a model gets all of it up to there',
      ids: ['B19', 'C26'],
    },
    {
      topic: 'flattening',
      rule: 'texts joined by newlines, resources as JSON, (no output) for an empty result',
      ids: ['P13', 'P14', 'P15', 'C17'],
    },
    {
      topic: 'errors',
      rule: '{ error: true, output }; “MCP server unreachable” if the server cannot be reached',
      ids: ['P12', 'P16', 'C16'],
    },
    {
      topic: 'memory',
      rule: 'nothing is stored between runs, except the servers’ stderr, which is in logs',
      ids: ['B24', 'C33'],
    },
  ],
}
