import type { Json } from '../../model/json.ts'
import type { EntryRules } from '../entries/entry-rules.ts'
import type { Entry } from '../entries/raw-entry.ts'
import type { Draft } from '../entries/server-draft.ts'

/**
 * C2: opencode's own form of an entry (`local` or `remote`, a command as a list, `environment`, `timeout`), for clients
 * whose documents take its entries over. It is read beside the form that their documents show, and never written.
 */
export const opencodeForm = {
  alsoTypes: { local: 'stdio', remote: 'http' },
  commandShape: 'either',
  keys: { cwd: null, env: ['env', 'environment'] },
  timeout: { key: 'timeout', unit: 'ms', sets: 'call-and-startup', min: 1, deprecated: true },
} as const satisfies Pick<EntryRules, 'alsoTypes' | 'commandShape' | 'keys'> & Record<string, unknown>

export function isOpencodeType(type: Json | undefined): boolean {
  return typeof type === 'string' && Object.hasOwn(opencodeForm.alsoTypes, type)
}

/** An entry of opencode's may name its working directory, for which the other form has no key. */
export function readOpencodeFolder(entry: Entry, draft: Draft): void {
  if (isOpencodeType(entry.get('type')) && entry.has('cwd')) draft.cwd = entry.string('cwd')
}
