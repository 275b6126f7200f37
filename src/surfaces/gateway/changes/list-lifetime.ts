import type { Host } from '../../../index.ts'

/** For servers that do not say how long their lists are valid: changes of theirs are announced. */
const defaultMs = 60_000
/** T26: no list is kept longer, whatever a server says. */
const longestMs = 60 * 60 * 1000

const healthKey = 'plugboard/health'

/**
 * What a list says besides its items, as members of JSON: how long it is valid (the least of all servers), that it is for its
 * caller alone (T26), and which servers answer with what they offered before, because they cannot be used now.
 */
export function listLifetime(host: Pick<Host, 'servers'>, isVisible: (server: string) => boolean): string {
  let ttlMs = longestMs
  const health: Record<string, string> = {}
  for (const { name, status, isKnown, ttlMs: own = defaultMs } of host.servers()) {
    if (!isVisible(name) || status.state === 'disabled' || status.state === 'untrusted') continue
    ttlMs = Math.min(ttlMs, own)
    // The code alone: messages name paths of this machine.
    if ('failure' in status) health[name] = `${status.state} (${status.failure.code})`
    else if (!isKnown && status.state === 'connecting') health[name] = 'connecting'
  }
  const meta = Object.keys(health).length === 0 ? '' : `,"_meta":${JSON.stringify({ [healthKey]: health })}`
  return `"ttlMs":${ttlMs},"cacheScope":"private"${meta}`
}
