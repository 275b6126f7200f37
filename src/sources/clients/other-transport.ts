import type { Draft } from '../entries/server-draft.ts'
import type { Entry } from '../entries/raw-entry.ts'

/** Keys that apply to one transport only. */
interface KeysByTransport {
  readonly stdio: readonly string[]
  readonly remote: readonly string[]
}

/** Removes the keys of the unused transport from the draft, and calls `onKey` for each of them. */
export function dropOtherTransport(
  entry: Entry,
  draft: Draft,
  keys: KeysByTransport,
  onKey: (key: string) => void,
): void {
  if (draft.kind === undefined) return
  const others = draft.kind === 'stdio' ? keys.remote : keys.stdio
  for (const key of others.filter((key) => entry.has(key))) {
    const value = entry.value[key]
    if (value !== undefined) draft.extra[key] = value
    onKey(key)
  }
  if (draft.kind === 'stdio') {
    Object.assign(draft, { url: undefined, headers: undefined, headersCommand: undefined, auth: undefined })
  } else {
    Object.assign(draft, { command: undefined, args: undefined, env: undefined, cwd: undefined })
  }
}
