import type { Draft } from './server-draft.ts'
import type { Entry } from './raw-entry.ts'
import type { EntryRules } from './entry-rules.ts'

export function readTools(entry: Entry, rules: EntryRules, draft: Draft): void {
  const severity = rules.failsClosed ? 'error' : 'warn'
  const { allowKey, denyKey, autoApproveKey } = rules
  if (allowKey) {
    const allow = entry.strings(allowKey, severity)
    if (allow)
      draft.allow = allow.includes('*') || (rules.emptyAllowMeansAll && allow.length === 0) ? null : allow
    if (draft.allow?.length === 0) {
      entry.warn('no-tools', `${allowKey} is an empty list: no tool is enabled.`, { key: allowKey })
    }
  }
  if (denyKey) draft.deny = entry.strings(denyKey, severity)
  if (autoApproveKey) {
    draft.autoApprove = entry.strings(autoApproveKey)
    if (draft.autoApprove?.includes('*')) {
      entry.warn('auto-approve-all', `${autoApproveKey} approves every tool in advance.`, {
        key: autoApproveKey,
      })
    }
  }
  const both = draft.allow?.filter((tool) => draft.deny?.includes(tool)) ?? []
  if (rules.filterConflict && both.length > 0) {
    entry.info('tool-filter-conflict', `${both.join(', ')}: both allowed and denied; denied wins.`)
  }
}
