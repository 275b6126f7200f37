import type { Host, Status } from '../index.ts'
import type { QuestionDesk } from './question-desk.ts'

/** States in which a login is not needed any more. */
const settled: readonly Status['state'][] = ['ready', 'disabled', 'untrusted', 'closed']

/**
 * Makes a question of each login that a server needs, and connects the server again when a person has logged in, here or
 * elsewhere. Dispose the result to stop.
 *
 * @example
 * using logins = followLogins(host, desk)
 */
export function followLogins(
  host: Pick<Host, 'on' | 'servers' | 'restart'>,
  desk: Pick<QuestionDesk, 'login'>,
): Disposable {
  const pending = new Map<string, AbortController>()
  const ask = async (server: string, reason: string): Promise<void> => {
    const withdrawn = new AbortController()
    pending.set(server, withdrawn)
    try {
      const isDone = await desk.login({ server, reason }, { signal: withdrawn.signal })
      if (isDone) await host.restart(server)
    } catch {
      // It was withdrawn, or the server fails for another reason, which its status shows.
    } finally {
      if (pending.get(server) === withdrawn) pending.delete(server)
    }
  }
  const follow = (server: string, status: Status): void => {
    if (status.state === 'needs-auth' && !pending.has(server)) void ask(server, status.failure.message)
    if (!settled.includes(status.state)) return
    pending.get(server)?.abort()
    pending.delete(server)
  }
  for (const { name, status } of host.servers()) follow(name, status)
  return host.on((event) => {
    if (event.type === 'server.changed') follow(event.server, event.status)
  })
}
