import type { Host } from '../../../index.ts'

/** For servers that do not say how long their lists are valid: changes of theirs are announced. */
const defaultMs = 60_000
/** T26: no list is kept longer, whatever a server says. */
const longestMs = 60 * 60 * 1000

const healthKey = 'plugboard/health'

/**
 * What a list says besides its items, as members of JSON: how long it is valid (the least of all servers), that it is for its
 * caller alone (T26), which servers answer with what they offered before, because they cannot be used now, and what
 * else is wrong with a server.
 *
 * @param notes What is wrong with the offers of a server, by its name.
 */
export function listLifetime(
  host: Pick<Host, 'servers'>,
  isVisible: (server: string) => boolean,
  notes: ReadonlyMap<string, string> = new Map(),
): string {
  let ttlMs = longestMs
  const health = new Map<string, string>()
  for (const { name, status, isKnown, ttlMs: own = defaultMs } of host.servers()) {
    if (!isVisible(name) || status.state === 'disabled' || status.state === 'untrusted') continue
    ttlMs = Math.min(ttlMs, own)
    // The code alone: messages name paths of this machine.
    if ('failure' in status) health.set(name, `${status.state} (${status.failure.code})`)
    else if (!isKnown && status.state === 'connecting') health.set(name, 'connecting')
    else if (notes.has(name)) health.set(name, notes.get(name) ?? '')
  }
  const meta =
    health.size === 0 ? '' : `,"_meta":${JSON.stringify({ [healthKey]: Object.fromEntries(health) })}`
  return `"ttlMs":${ttlMs},"cacheScope":"private"${meta}`
}
