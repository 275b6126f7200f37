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

/** The key says the transport: `httpUrl` is Streamable HTTP and `url` is SSE. */
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

/** `.mcp.json` is Claude Code's form, where a `type` beside the url says the transport. */
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
    askForApproval(context)
    reportLowest(context)
  },
  writes: geminiWrites,
})

/**
 * The lists of all files are joined; their items are globs. T01: what a person allows, a project's list only narrows.
 */
function applyLists({ drafts, files, report }: SettleContext): void {
  const allowed = nameLists(files, 'allowed', report).filter(({ names }) => names.length > 0)
  const isProjects = ({ authority }: NameList) => authority === 'project'
  const bounds = [allowed.filter((list) => !isProjects(list)), allowed.filter(isProjects)]
  const excluded = nameLists(files, 'excluded', report)
  for (const draft of drafts) {
    const missing = bounds.find((lists) => lists.length > 0 && !matching(lists, draft.name))?.[0]
    const off = missing ?? matching(excluded, draft.name)
    if (off) switchOff(draft, off.place)
  }
}

function matching(lists: readonly NameList[], name: string): NameList | undefined {
  return lists.find(({ names }) => names.some((pattern) => matchGlob(pattern, name)))
}

/** What the project declares waits for a person's word, unless it is off anyway. */
function askForApproval({ drafts }: SettleContext): void {
  for (const draft of drafts) {
    if (draft.file.authority === 'project' && draft.enabled !== false) draft.approval = 'pending'
  }
}

/** A name is reported once, at its lowest entry; `shadowed` itself lists every level. */
function reportLowest({ hidden, report }: SettleContext): void {
  const lowest = new Map(hidden.map((pair) => [pair.draft.name, pair]))
  for (const pair of lowest.values()) reportShadowed(pair, 'info', report)
}
