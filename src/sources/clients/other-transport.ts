import type { Draft } from '../entries/server-draft.ts'
import type { Entry } from '../entries/raw-entry.ts'

/** Keys beside the endpoint that mean something for one transport only. */
interface KeysByTransport {
  readonly stdio: readonly string[]
  readonly remote: readonly string[]
}

/** What an entry says of the transport it does not use: taken out of the draft, and handed to the owner's judgment. */
export function dropOtherTransport(
  entry: Entry,
  draft: Draft,
  keys: KeysByTransport,
  judge: (key: string) => void,
): void {
  if (draft.kind === undefined) return
  const others = draft.kind === 'stdio' ? keys.remote : keys.stdio
  for (const key of others.filter((key) => entry.has(key))) {
    const value = entry.value[key]
    if (value !== undefined) draft.extra[key] = value
    judge(key)
  }
  if (draft.kind === 'stdio') {
    Object.assign(draft, { url: undefined, headers: undefined, headersCommand: undefined, auth: undefined })
  } else {
    Object.assign(draft, { command: undefined, args: undefined, env: undefined, cwd: undefined })
  }
}
