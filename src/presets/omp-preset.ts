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
      rule: 'names are claimed first, then entries are validated, then those switched off are dropped; nothing is merged',
      ids: ['O1', 'O3', 'O6', 'O10', 'O21', 'C7'],
    },
    {
      topic: 'values',
      rule: '${VAR}, literal where unset; in headers and env also !command in the shell and variable names',
      ids: ['O9', 'O11', 'O12', 'C19'],
    },
    { topic: 'trust', rule: 'project files wait for trust', ids: ['C30'] },
    {
      topic: 'lifecycle',
      rule: 'all at start, in the background; tools known from before are offered meanwhile',
      ids: ['O19', 'C13'],
    },
    {
      topic: 'protocol',
      rule: 'the era is probed; a missing type is inferred; sse is tried first, then http',
      ids: ['O2', 'O5', 'O8', 'C5', 'C6', 'C31'],
    },
    { topic: 'client info', rule: 'plugboard and its version, or what the embedder says', ids: ['C28'] },
    { topic: 'restart', rule: 'with back-off; 5 crashes in 3 minutes end it', ids: ['C14'] },
    {
      topic: 'shutdown',
      rule: 'end of input, 2 s, SIGTERM, 3 s, SIGKILL, to the whole process group',
      ids: ['C15'],
    },
    {
      topic: 'names',
      rule: 'mcp_<server>_<tool> of small letters and _ alone; of equal ones the last counts, and both are told',
      ids: ['O13', 'C10', 'C11'],
    },
    { topic: 'descriptions', rule: 'as the server sent them', ids: ['O15'] },
    { topic: 'schemas', rule: 'an object without properties gets empty ones', ids: ['O14'] },
    { topic: 'tools', rule: 'all are replaced at once when something changes', ids: ['O18', 'C22'] },
    { topic: 'arguments', rule: 'checked before a call, with errors a model can act on', ids: ['C32'] },
    {
      topic: 'limits',
      rule: '30 s to start, 60 s for a call; the entry’s timeout for both; 50 KB for a model, the rest in a private file',
      ids: ['O2', 'C26', 'C27'],
    },
    { topic: 'flattening', rule: 'one text, with placeholders for what is no text', ids: ['O15', 'C17'] },
    {
      topic: 'errors',
      rule: 'Error: … of a tool, MCP error: … of everything else; an aborted call throws ToolAbortError',
      ids: ['O15', 'O20', 'C16', 'C18'],
    },
    {
      topic: 'memory',
      rule: 'caches of what servers offer, approvals and switches; config files are written in one step',
      ids: ['O4', 'O16', 'O17', 'C33'],
    },
  ],
}
