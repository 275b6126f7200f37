import { matchGlob } from '../../../model/glob.ts'
import { isObject, isStringArray, toPointer, valueAt } from '../../../model/json.ts'
import type { Json } from '../../../model/json.ts'
import { createSource } from '../../entries/client-dialect.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { OpenFile, Report } from '../../source.ts'
import { tableAt, tablesOf, usableRoot, valueIn } from '../../entries/server-tables.ts'
import type { RootRules } from '../../entries/server-tables.ts'

/** One key that contains a dot, not two nested keys. */
const roots: RootRules = { roots: [['amp.mcpServers']] }

export const amp = createSource({
  id: 'amp',
  title: 'Amp',
  reads: 'jsonc',
  ...roots,
  rules: {
    types: {},
    typeKeys: [],
    untypedUrl: 'http+sse',
    both: 'command',
    keys: { cwd: null },
    flag: 'disabled',
    allowKey: 'includeTools',
    checkPins: true,
  },
  values: { syntaxes: ['braces'], unset: 'keep' },
  tables(files, _world, report) {
    return files.flatMap((file) => {
      const root = usableRoot(file, 'jsonc', report)
      if (!root) return []
      const nested =
        valueAt(root, ['amp', 'mcpServers']) === undefined ? undefined : nestedTable(file, root, report)
      return [...tablesOf(file, root, roots, report), ...(nested ? [nested] : [])]
    })
  },
  settle(context) {
    applyPermissions(context)
    markPending(context)
  },
})

function nestedTable(file: OpenFile, root: Parameters<typeof tableAt>[1], report: Report) {
  report.add(
    'wrong-root-key',
    'warn',
    'Amp reads the single key "amp.mcpServers", not "mcpServers" inside "amp".',
    {
      file,
      pointer: '/amp/mcpServers',
      hint: 'Write "amp.mcpServers" as one key.',
    },
  )
  return tableAt(file, root, ['amp', 'mcpServers'], report)
}

const permissions = 'amp.mcpPermissions'

/** In each file the first matching rule decides. A rejection applies even if another file allows the server. */
function applyPermissions({ drafts, files, report }: SettleContext): void {
  for (const file of files) {
    const rules = rulesOf(file, report)
    for (const draft of drafts) {
      const index = rules.findIndex((rule) => ruleMatches(rule, draft))
      if (index < 0 || valueAt(rules[index], ['action']) !== 'reject') continue
      const pointer = toPointer([permissions, index])
      report.add('denied-by-policy', 'warn', `${permissions} rejects "${draft.name}".`, {
        file,
        pointer,
        server: draft.name,
      })
      if (draft.enabled === false) continue
      draft.enabled = false
      draft.disabledBy = `${file.path}#${pointer}`
    }
  }
}

function rulesOf(file: OpenFile, report: Report): readonly Json[] {
  const rules = valueIn(file, [permissions])
  if (rules === undefined || rules === null) return []
  if (Array.isArray(rules)) return rules as readonly Json[] // Array.isArray does not narrow a readonly union
  report.add('wrong-type', 'warn', `${permissions} must be a list of rules. It is ignored.`, {
    file,
    pointer: toPointer([permissions]),
  })
  return []
}

/** Every condition must match. A command is compared alone and joined with its arguments. */
function ruleMatches(rule: Json, draft: Draft): boolean {
  if (!isObject(rule)) return false
  const conditions = rule['matches']
  if (conditions === undefined) return true
  if (!isObject(conditions)) return false
  return Object.entries(conditions).every(([key, patterns]) =>
    textsOf(draft, key).some((text) => toList(patterns).some((pattern) => matchGlob(pattern, text))),
  )
}

function textsOf({ kind, command, args = [], url }: Draft, key: string): readonly string[] {
  const isStdio = kind === 'stdio' && command !== undefined
  if (key === 'url') return isStdio || url === undefined ? [] : [url]
  if (!isStdio) return []
  if (key === 'command') return [command, [command, ...args].join(' ')]
  return key === 'args' ? [args.join(' '), ...args] : []
}

function toList(patterns: Json): readonly string[] {
  if (typeof patterns === 'string') return [patterns]
  return isStringArray(patterns) ? patterns : []
}

function markPending({ drafts, report }: SettleContext): void {
  for (const draft of drafts) {
    if (draft.file.authority !== 'project' || draft.enabled === false) continue
    draft.approval = 'pending'
    report.add(
      'untrusted-project',
      'warn',
      'Amp asks before it starts a workspace server (amp mcp approve).',
      {
        file: draft.file,
        pointer: draft.origin.pointer,
        server: draft.name,
      },
    )
  }
}
