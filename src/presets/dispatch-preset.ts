import { namingSchemes } from '../model/preset.ts'
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
  calling: {
    naming: namingSchemes.double,
    descriptions: 'bracketed',
    render: { resource: 'text-or-uri', empty: '' },
    properties: 'as-sent',
    checksArguments: true,
  },
  rows: [
    {
      topic: 'sources',
      rule: '.dispatch/mcp.json, else opencode.json, in the working directory only',
      ids: ['D5', 'D8', 'D9', 'D11', 'D12', 'D13', 'C2'],
    },
    { topic: 'merging', rule: 'the whole first file, even a broken or empty one', ids: ['D10', 'L6', 'C7'] },
    { topic: 'values', rule: 'as they stand; never logged', ids: ['D26'] },
    {
      topic: 'trust',
      rule: 'project files wait for trust; nothing is found elsewhere or downloaded',
      ids: ['D23', 'D24', 'D25', 'C30'],
    },
    { topic: 'lifecycle', rule: 'on first access', ids: ['D14', 'D15', 'L8', 'C13'] },
    {
      topic: 'protocol',
      rule: 'initialize with 2025-11-25 and no capabilities; lines of JSON, Content-Length on request',
      ids: ['D1', 'D22', 'D30', 'L2', 'L3', 'L4', 'L5', 'C1', 'C31'],
    },
    { topic: 'client info', rule: 'dispatch 0.0.0', ids: ['L2', 'C28'] },
    { topic: 'restart', rule: 'with back-off; 5 crashes in 3 minutes end it', ids: ['C14'] },
    {
      topic: 'shutdown',
      rule: 'end of input, 2 s, SIGTERM, 3 s, SIGKILL, to the whole process group',
      ids: ['D15', 'C15'],
    },
    { topic: 'names', rule: '<serverId>__<toolName>', ids: ['D16', 'L7', 'C9'] },
    { topic: 'descriptions', rule: 'begin with [<serverId>]; untrusted, never run', ids: ['D17', 'D27'] },
    { topic: 'schemas', rule: 'as the server sent them', ids: ['D18'] },
    {
      topic: 'tools',
      rule: 'of servers that are connected and switched on in this conversation',
      ids: ['D2', 'D3', 'D4', 'D6', 'D7', 'L9', 'L12', 'C21', 'C22'],
    },
    {
      topic: 'arguments',
      rule: 'checked before a call; never two calls at once',
      ids: ['D19', 'C25', 'C32'],
    },
    {
      topic: 'limits',
      rule: '30 s to start, 60 s a call; 50 KB for a model, the rest in a private file',
      ids: ['C26', 'C27'],
    },
    {
      topic: 'flattening',
      rule: 'texts, [image: <mimeType>, <n> bytes], a resource’s text or [resource: <uri>]; nothing is nothing',
      ids: ['D20', 'C17'],
    },
    { topic: 'errors', rule: '{ content, isError }', ids: ['D18', 'L7', 'C16'] },
    {
      topic: 'memory',
      rule: 'switches of conversations, and what was learned of servers',
      ids: ['D7', 'D21', 'C33'],
    },
  ],
}
