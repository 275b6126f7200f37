import { matchGlob } from '../../../model/glob.ts'
import { isObject, isStringArray, toPointer } from '../../../model/json.ts'
import type { Json } from '../../../model/json.ts'
import type { Env } from '../../../platform/platform.ts'
import { claudeSettings, isProjectSettings } from './claude-code-settings.ts'
import type { ClaudeSettings } from './claude-code-settings.ts'
import type { SettleContext } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { OpenFile, Report } from '../../source.ts'
import { parseTemplate } from '../../entries/template.ts'

/** One item of an allow or deny list: a server's name, its url, or its full command. */
interface Rule {
  readonly by: 'serverName' | 'serverUrl' | 'serverCommand'
  readonly file: OpenFile
  readonly pointer: string
  readonly matches: (draft: Draft, env: Env) => boolean
}

/** Applies allow and deny lists. Denied wins; the deny lists of all settings apply, also to hidden servers. */
export function applyPolicy({ drafts, hidden, files, world, report }: SettleContext): void {
  const settings = claudeSettings(files, world).filter(({ path }) => path.length === 0)
  const denied = settings.flatMap((each) => rulesIn(each, 'deniedMcpServers', report))
  const allowing = allowListsOf(settings)
  const allowed = allowing.flatMap((each) => rulesIn(each, 'allowedMcpServers', report))
  const firstList = allowing.find(({ value }) => Array.isArray(value['allowedMcpServers']))
  const reported = new Set<string>()

  const isDenied = (draft: Draft): boolean => {
    const rule = denied.find(({ matches }) => matches(draft, world.env))
    const key = `${rule?.file.path}#${rule?.pointer}#${draft.name}`
    if (rule && !reported.has(key)) refuse(draft, rule, `"${draft.name}" is on deniedMcpServers.`, report)
    reported.add(key)
    return rule !== undefined
  }
  for (const draft of drafts) {
    if (isDenied(draft)) draft.refused = true
    else if (firstList && !isAllowed(draft, allowed, world.env)) {
      const place = { file: firstList.file, pointer: '/allowedMcpServers' }
      refuse(draft, place, `"${draft.name}" is not on allowedMcpServers.`, report)
      draft.refused = true
    }
  }
  for (const { draft } of hidden) isDenied(draft)
}

function refuse(
  draft: Draft,
  { file, pointer }: { readonly file: OpenFile; readonly pointer: string },
  message: string,
  report: Report,
): void {
  report.add('denied-by-policy', 'error', message, { file, pointer, server: draft.name })
}

/**
 * The allow lists of all settings together, unless managed settings allow only their own. Without any list everything is
 * allowed. T01: a project's list is used only if there is no other, because beside another list it could only allow more.
 */
function allowListsOf(settings: readonly ClaudeSettings[]): readonly ClaudeSettings[] {
  const managed = settings.filter(({ file }) => file.role === 'managed-settings')
  const only = managed.some(({ value }) => value['allowManagedMcpServersOnly'] === true)
  if (only) return managed
  const userSettings = settings.filter((each) => !isProjectSettings(each))
  return userSettings.some(({ value }) => Array.isArray(value['allowedMcpServers'])) ? userSettings : settings
}

/** If urls or commands are listed for the server's transport, its name alone does not allow it. */
function isAllowed(draft: Draft, rules: readonly Rule[], env: Env): boolean {
  const byEndpoint = rules.filter(({ by }) => by === (draft.kind === 'stdio' ? 'serverCommand' : 'serverUrl'))
  const decisive = byEndpoint.length > 0 ? byEndpoint : rules.filter(({ by }) => by === 'serverName')
  return decisive.some(({ matches }) => matches(draft, env))
}

function rulesIn({ file, value }: ClaudeSettings, key: string, report: Report): readonly Rule[] {
  const list = value[key]
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) {
    report.add('wrong-type', 'warn', `"${key}" must be a list. It is ignored.`, { file, pointer: `/${key}` })
    return []
  }
  return (list as readonly Json[]).flatMap((item, index) => {
    const pointer = toPointer([key, index])
    const rule = toRule(item)
    if (rule) return [{ ...rule, file, pointer }]
    const wanted = 'an object with one of serverName, serverUrl and serverCommand'
    report.add('wrong-type', 'warn', `The item must be ${wanted}. It is ignored.`, { file, pointer })
    return []
  })
}

function toRule(item: Json): Pick<Rule, 'by' | 'matches'> | undefined {
  if (!isObject(item)) return undefined
  const { serverName, serverUrl, serverCommand } = item
  if (typeof serverName === 'string') return { by: 'serverName', matches: ({ name }) => name === serverName }
  if (typeof serverUrl === 'string') {
    return {
      by: 'serverUrl',
      matches: ({ url }, env) => url !== undefined && matchGlob(serverUrl, expand(url, env)),
    }
  }
  if (!isStringArray(serverCommand)) return undefined
  return {
    by: 'serverCommand',
    matches: ({ command, args = [] }, env) => {
      const words = command === undefined ? [] : [command, ...args].map((word) => expand(word, env))
      return words.length === serverCommand.length && words.every((word, at) => word === serverCommand[at])
    },
  }
}

/** Expands placeholders before matching, so that they cannot hide a url or command from a list. */
function expand(text: string, env: Env): string {
  const parts = parseTemplate(text, { syntaxes: ['braces'], unset: 'keep' })
  return parts
    .map((part) => (part.kind === 'env' ? (env[part.name] ?? part.fallback ?? part.text) : part.text))
    .join('')
}
