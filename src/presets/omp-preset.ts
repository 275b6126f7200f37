import { namingSchemes } from '../model/preset.ts'
import type { Preset } from '../model/preset.ts'
import { ompSystemWords } from './omp-words.ts'

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
    callTimeCoversStart: true,
  },
  calling: {
    naming: namingSchemes.omp,
    descriptions: 'as-sent',
    render: {
      resource: 'text-or-details',
      empty: '(no output)',
      failedPrefix: 'Error: ',
      refusedPrefix: 'MCP error: ',
    },
    properties: 'always',
    checksArguments: true,
    serial: 'server',
  },
  words: ompSystemWords,
  rows: [
    {
      topic: 'sources',
      rule: '.omp/mcp.json, ~/.omp, the .claude, .cursor and .vscode folders, then root mcp.json and .mcp.json',
      ids: ['O7', 'C8'],
    },
    {
      topic: 'merging',
      rule: 'the highest rank claims a name, then entries are validated, then disabled ones are dropped; entries are never merged',
      ids: ['O1', 'O3', 'O6', 'O10', 'O21', 'C7'],
    },
    {
      topic: 'values',
      rule: '${VAR}, literal if unset; in headers and env also !command, run by the shell, and names of variables',
      ids: ['O9', 'O11', 'O12', 'C19'],
    },
    { topic: 'trust', rule: 'a project’s servers start only after a person trusts them', ids: ['C30'] },
    {
      topic: 'lifecycle',
      rule: 'all servers start at once, in the background; tools known from earlier runs are offered meanwhile',
      ids: ['O19', 'C13'],
    },
    {
      topic: 'protocol',
      rule: 'the era is probed; a missing type is inferred; sse is tried first, then http',
      ids: ['O2', 'O5', 'O8', 'C5', 'C6', 'C31'],
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
    {
      topic: 'names',
      rule: 'mcp_<server>_<tool> with only lowercase letters and _; of equal names the last one counts, and a problem names both',
      ids: ['O13', 'C10', 'C11'],
    },
    { topic: 'descriptions', rule: 'as the server sent them', ids: ['O15'] },
    { topic: 'schemas', rule: 'an object schema without properties gets an empty properties', ids: ['O14'] },
    { topic: 'tools', rule: 'all are replaced at once when something changes', ids: ['O18', 'C22'] },
    {
      topic: 'arguments',
      rule: 'checked before a call, with errors a model can act on; calls of models run one at a time on a server, except where `parallel` allows more; host.call itself does not wait',
      ids: ['C25', 'C32'],
    },
    {
      topic: 'limits',
      rule: '30 s to start, 60 s per call, or the entry’s timeout for both; a model gets 50 KB, the full text is in a private file',
      ids: ['O2', 'C26', 'C27'],
    },
    {
      topic: 'flattening',
      rule: 'one text, with placeholders for content that is not text',
      ids: ['O15', 'C17'],
    },
    {
      topic: 'errors',
      rule: 'Error: … for a tool’s own failure, MCP error: … for all others; an aborted call throws ToolAbortError',
      ids: ['O15', 'O20', 'C16', 'C18'],
    },
    {
      topic: 'memory',
      rule: 'the servers’ lists, approvals and switches are stored between runs; config files are replaced atomically',
      ids: ['O4', 'O16', 'O17', 'C33'],
    },
  ],
}
