import { matchGlob } from '../../../model/glob.ts'
import { reportShadowed } from '../../entries/combine.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import {
  checkTcp,
  checkTrust,
  geminiEntry,
  geminiValues,
  geminiWrites,
  nameLists,
  switchOff,
} from '../gemini-cli/gemini-settings.ts'
import type { NameList } from '../gemini-cli/gemini-settings.ts'
import { checkTwoLogins } from '../oauth-fields.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'

/** The key decides the transport: `httpUrl` is Streamable HTTP and `url` is SSE. */
const rules: EntryRules = {
  ...geminiEntry,
  types: {},
  typeKeys: [],
  untypedUrl: 'sse',
  untypedUrlNote: {
    code: 'inferred-transport',
    severity: 'warn',
    message: '"url" is SSE in Qwen Code; elsewhere the same key is Streamable HTTP. Use "httpUrl" for that.',
  },
  timeouts: [
    { key: 'timeout', unit: 'ms', sets: 'callMs' },
    { key: 'discoveryTimeoutMs', unit: 'ms', sets: 'startupMs' },
  ],
  known: ['alwaysLoadTools'],
  finish(entry, draft) {
    checkTwoLogins(entry, draft)
    checkTcp(entry)
    checkTrust(entry)
  },
}

/** `.mcp.json` has Claude Code's form, in which `type` decides the transport of a url. */
const sharedRules: EntryRules = {
  ...rules,
  types: { stdio: 'stdio', http: 'http', sse: 'sse' },
  typeKeys: ['type'],
}

/** System and workspace settings, then `.mcp.json`, then the user's settings. */
export const qwenCode = createSource({
  id: 'qwen-code',
  title: 'Qwen Code',
  reads: 'jsonc',
  roots: [['mcpServers']],
  roles: ['servers', 'dotmcp'],
  rules: (file) => (file.role === 'dotmcp' ? sharedRules : rules),
  values: (_server, world) => geminiValues(world),
  shadowedAs: false,
  settle(context) {
    applyLists(context)
    markPending(context)
    reportLowest(context)
  },
  writes: geminiWrites,
})

/**
 * Merges the lists of all files; their items are globs. T01: a project's list only narrows the user's list.
 */
function applyLists({ drafts, files, report }: SettleContext): void {
  const allowed = nameLists(files, 'allowed', report).filter(({ names }) => names.length > 0)
  const isProjectList = ({ authority }: NameList) => authority === 'project'
  const limits = [allowed.filter((list) => !isProjectList(list)), allowed.filter(isProjectList)]
  const excluded = nameLists(files, 'excluded', report)
  for (const draft of drafts) {
    const missing = limits.find((lists) => lists.length > 0 && !findMatching(lists, draft.name))?.[0]
    const off = missing ?? findMatching(excluded, draft.name)
    if (off) switchOff(draft, off.place)
  }
}

function findMatching(lists: readonly NameList[], name: string): NameList | undefined {
  return lists.find(({ names }) => names.some((pattern) => matchGlob(pattern, name)))
}

/** A project's server needs approval unless it is off. */
function markPending({ drafts }: SettleContext): void {
  for (const draft of drafts) {
    if (draft.file.authority === 'project' && draft.enabled !== false) draft.approval = 'pending'
  }
}

/** Reports a shadowed name once, at its lowest entry; the list of shadowed servers has every level. */
function reportLowest({ hidden, report }: SettleContext): void {
  const lowest = new Map(hidden.map((pair) => [pair.draft.name, pair]))
  for (const pair of lowest.values()) reportShadowed(pair, 'info', report)
}
