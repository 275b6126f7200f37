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
    serial: 'conversation',
  },
  rows: [
    {
      topic: 'sources',
      rule: '.dispatch/mcp.json, else opencode.json, only in the working directory; entries in the form of the design or of opencode',
      ids: ['D5', 'D8', 'D9', 'D11', 'D12', 'D13', 'C2'],
    },
    {
      topic: 'merging',
      rule: 'the first file that exists is used alone, even if it is broken or empty',
      ids: ['D10', 'L6', 'C7'],
    },
    { topic: 'values', rule: 'used literally; never logged', ids: ['D26'] },
    {
      topic: 'trust',
      rule: 'servers start only after a person trusts them; none are discovered elsewhere or downloaded',
      ids: ['D23', 'D24', 'D25', 'C30'],
    },
    { topic: 'lifecycle', rule: 'servers start on first use', ids: ['D14', 'D15', 'L8', 'C13'] },
    {
      topic: 'protocol',
      rule: 'initialize with 2025-11-25 and no capabilities; newline-delimited JSON, or Content-Length if set',
      ids: ['D1', 'D22', 'D30', 'L2', 'L3', 'L4', 'L5', 'C1', 'C31'],
    },
    { topic: 'client info', rule: 'dispatch 0.0.0', ids: ['L2', 'C28'] },
    {
      topic: 'restart',
      rule: 'with back-off; after 5 crashes within 3 minutes it rests for 5 minutes, then longer',
      ids: ['C14'],
    },
    {
      topic: 'shutdown',
      rule: 'close stdin; SIGTERM after 2 s, SIGKILL 3 s later, to the whole process group',
      ids: ['D15', 'C15'],
    },
    { topic: 'names', rule: '<serverId>__<toolName>', ids: ['D16', 'L7', 'C9'] },
    {
      topic: 'descriptions',
      rule: 'prefixed with [<serverId>]; treated as untrusted text, never executed',
      ids: ['D17', 'D27'],
    },
    { topic: 'schemas', rule: 'as the server sent them', ids: ['D18'] },
    {
      topic: 'tools',
      rule: 'those of servers that are connected and switched on in the conversation',
      ids: ['D2', 'D3', 'D4', 'D6', 'D7', 'L9', 'L12', 'C21', 'C22'],
    },
    {
      topic: 'arguments',
      rule: 'checked before a call; one call at a time in a conversation and on a server, whatever `parallel` says; host.call itself does not wait',
      ids: ['D19', 'C25', 'C32'],
    },
    {
      topic: 'limits',
      rule: '30 s to start, 60 s per call; a model gets 50 KB, the full text is in a private file',
      ids: ['C26', 'C27'],
    },
    {
      topic: 'flattening',
      rule: 'texts, [image: <mimeType>, <n> bytes], a resource’s text or [resource: <uri>]; an empty result is an empty text',
      ids: ['D20', 'C17'],
    },
    { topic: 'errors', rule: '{ content, isError }', ids: ['D18', 'L7', 'C16'] },
    {
      topic: 'memory',
      rule: 'servers switched off per conversation, and the servers’ lists, are stored between runs',
      ids: ['D7', 'D21', 'C33'],
    },
  ],
}
