import type { Draft } from './draft.ts'
import type { Entry } from './entry.ts'

/** Keys that only one kind of server has, and what each sets. */
export interface KindKeys {
  readonly stdio: Readonly<Record<string, Field>>
  readonly remote: Readonly<Record<string, Field>>
}

type Field = 'args' | 'env' | 'cwd' | 'headers' | 'auth' | 'tls' | 'socketPath'

/** Points out keys that mean nothing for the entry's transport, and leaves their values out. */
export function dropForeignKeys(entry: Entry, draft: Draft, keys: KindKeys): void {
  const both = draft.command !== undefined && draft.url !== undefined
  if (draft.kind === undefined || both) return
  const kind = draft.kind === 'stdio' ? 'stdio' : 'remote'
  for (const [key, field] of Object.entries(kind === 'stdio' ? keys.remote : keys.stdio)) {
    if (!entry.has(key)) continue
    entry.warn('unknown-key', `"${key}" means nothing for a ${kind} server; it is ignored.`, { key })
    draft[field] = undefined
  }
}
