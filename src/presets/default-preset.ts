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
    serial: 'server',
  },
  rows: [
    {
      topic: 'sources',
      rule: '--config, PLUGBOARD_CONFIG, managed, the project’s .mcp.json and mcp.json, the user’s mcp.json, then enabled clients',
      ids: ['C2', 'C3', 'C4', 'C8'],
    },
    { topic: 'merging', rule: 'per name; the usable declaration with the highest rank is used', ids: ['C7'] },
    { topic: 'values', rule: 'placeholders are expanded; an unset variable is a diagnostic', ids: ['C19'] },
    { topic: 'trust', rule: 'a project’s servers start only after a person trusts them', ids: ['C30'] },
    {
      topic: 'lifecycle',
      rule: 'connected on demand; tools known from earlier runs are offered before that',
      ids: ['C13'],
    },
    {
      topic: 'protocol',
      rule: 'the era is probed; newline-delimited JSON is written, both framings are read; http falls back to SSE',
      ids: ['C1', 'C5', 'C6', 'C29', 'C31'],
    },
    {
      topic: 'client info',
      rule: 'plugboard and its version, unless the embedder sets another',
      ids: ['C28'],
    },
    {
      topic: 'restart',
      rule: 'with back-off; after 5 crashes within 3 minutes it rests for 5 minutes, then longer',
      ids: ['C14'],
    },
    {
      topic: 'shutdown',
      rule: 'close stdin; SIGTERM after 2 s, SIGKILL 3 s later, to the whole process group',
      ids: ['C15'],
    },
    { topic: 'names', rule: '<server>__<tool>', ids: ['C9', 'C10', 'C11'] },
    { topic: 'descriptions', rule: 'as the server sent them', ids: ['C10'] },
    { topic: 'schemas', rule: 'as the server sent them', ids: ['C10'] },
    {
      topic: 'tools',
      rule: 'listed again when a server reports a change, all tools of that server at once; globs have only *',
      ids: ['C12', 'C21', 'C22', 'C23', 'C24'],
    },
    {
      topic: 'arguments',
      rule: 'checked before a call, with errors a model can act on; calls of models run one at a time on a server, except where `parallel` allows more; host.call itself does not wait',
      ids: ['C25', 'C32'],
    },
    {
      topic: 'limits',
      rule: '30 s to start, 60 s per call; 16 MiB per message; a model gets 50 KB, the full text is in a private file',
      ids: ['C26', 'C27'],
    },
    {
      topic: 'flattening',
      rule: 'placeholders for content that is not text; (no output) for an empty result',
      ids: ['C17'],
    },
    {
      topic: 'errors',
      rule: 'a call that did not run throws a typed error; a tool’s own failure is a result; a cancelled call is cancelled at the server',
      ids: ['C16', 'C18'],
    },
    {
      topic: 'memory',
      rule: 'the servers’ lists, approvals and switches are stored between runs',
      ids: ['C33'],
    },
  ],
}
