import { isObject, valueAt } from '../../../model/json.ts'
import type { Settling } from '../../entries/client-dialect.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { OpenFile } from '../../source.ts'

/**
 * `tools: { "srv_*": false }` and `permission: { "srv_*": "deny" }` at the top of a file switch tools by the name they
 * have in the owner: the server's, an underscore, the tool's.
 */
export function applyToolSwitches({ drafts, files }: Settling): void {
  const switches = files.map(switchesIn).reduceRight((low, high) => ({ ...low, ...high }), {})
  const patterns = Object.entries(switches)
  for (const draft of drafts) {
    const off = patterns.flatMap(([pattern, on]) => (on ? [] : (patternFor(draft, pattern) ?? [])))
    const on = patterns.flatMap(([pattern, isOn]) => (isOn ? (patternFor(draft, pattern) ?? []) : []))
    filterTools(draft, off, on)
  }
}

function switchesIn({ doc }: OpenFile): Readonly<Record<string, boolean>> {
  const tools = valueAt(doc.value, ['tools'])
  const permissions = valueAt(doc.value, ['permission'])
  const bySwitch = Object.entries(isObject(tools) ? tools : {}).flatMap(([pattern, on]) =>
    typeof on === 'boolean' ? [[pattern, on] as const] : [],
  )
  const byRule = Object.entries(isObject(permissions) ? permissions : {}).flatMap(([pattern, rule]) =>
    typeof rule === 'string' ? [[pattern, rule !== 'deny'] as const] : [],
  )
  return Object.fromEntries([...bySwitch, ...byRule])
}

/** The part of a pattern that is about this server's tools, if any is. */
function patternFor({ name }: Draft, pattern: string): string | undefined {
  const prefix = `${name.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}_`
  if (pattern.startsWith(prefix)) return pattern.slice(prefix.length) || undefined
  return pattern.endsWith('*') && prefix.startsWith(pattern.slice(0, -1)) ? '*' : undefined
}

/** All off with exceptions is a list of what is on. */
function filterTools(draft: Draft, off: readonly string[], on: readonly string[]): void {
  const exceptions = on.filter((pattern) => pattern !== '*')
  const listed = off.includes('*') && exceptions.length > 0
  if (listed) draft.allow = exceptions
  const deny = listed ? off.filter((pattern) => pattern !== '*') : off
  if (deny.length > 0) draft.deny = [...(draft.deny ?? []), ...deny]
}
