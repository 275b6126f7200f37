import { namingSchemes } from '../model/preset.ts'
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
    hasRoots: false,
  },
  calling: {
    naming: namingSchemes.double,
    descriptions: 'as-sent',
    render: { resource: 'text-or-details', empty: '(no output)' },
    properties: 'as-sent',
    checksArguments: true,
  },
  rows: [
    {
      topic: 'sources',
      rule: '--config, PLUGBOARD_CONFIG, managed, the project’s .mcp.json and mcp.json, the user’s mcp.json, then enabled clients',
      ids: ['C2', 'C3', 'C4', 'C8'],
    },
    { topic: 'merging', rule: 'per name; the highest usable declaration counts', ids: ['C7'] },
    { topic: 'values', rule: 'templates; an unset variable is a diagnostic', ids: ['C19'] },
    { topic: 'trust', rule: 'what a project declares waits for a person', ids: ['C30'] },
    {
      topic: 'lifecycle',
      rule: 'on demand; what was learned of a server is offered meanwhile',
      ids: ['C13'],
    },
    {
      topic: 'protocol',
      rule: 'the era is probed; lines of JSON, both framings read; http falls back to SSE',
      ids: ['C1', 'C5', 'C6', 'C29', 'C31'],
    },
    { topic: 'client info', rule: 'plugboard and its version, or what the embedder says', ids: ['C28'] },
    { topic: 'restart', rule: 'with back-off; 5 crashes in 3 minutes end it', ids: ['C14'] },
    {
      topic: 'shutdown',
      rule: 'end of input, 2 s, SIGTERM, 3 s, SIGKILL, to the whole process group',
      ids: ['C15'],
    },
    { topic: 'names', rule: '<server>__<tool>', ids: ['C9', 'C10', 'C11'] },
    { topic: 'descriptions', rule: 'as the server sent them', ids: ['C10'] },
    { topic: 'schemas', rule: 'as the server sent them', ids: ['C10'] },
    {
      topic: 'tools',
      rule: 'live: re-listed when they change, one server’s at once; globs know only *',
      ids: ['C12', 'C21', 'C22', 'C23', 'C24'],
    },
    {
      topic: 'arguments',
      rule: 'checked before a call, with errors a model can act on; never two calls at once unless allowed',
      ids: ['C25', 'C32'],
    },
    {
      topic: 'limits',
      rule: '30 s to start, 60 s a call; 16 MiB a message; 50 KB for a model, the rest in a private file',
      ids: ['C26', 'C27'],
    },
    { topic: 'flattening', rule: 'placeholders for what is no text; (no output) for nothing', ids: ['C17'] },
    {
      topic: 'errors',
      rule: 'typed errors where a call did not run; a tool’s own failure is a result; cancelled on the wire',
      ids: ['C16', 'C18'],
    },
    { topic: 'memory', rule: 'caches of what servers offer, approvals and switches', ids: ['C33'] },
  ],
}
