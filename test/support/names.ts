import dns from 'node:dns'
import { isIP } from 'node:net'
import { onTestFinished, vi } from 'vitest'

/**
 * Replaces DNS lookups for one test. `lookUp` returns addresses, an error code, or `undefined` for a lookup that never
 * ends. IP addresses still go to the system, which needs no network for them.
 */
export function lookUpNames(
  lookUp: (name: string) => readonly dns.LookupAddress[] | string | undefined,
): void {
  const real = dns.lookup as unknown as (...given: unknown[]) => void // one of its overloads
  const lookup = (name: string, options: unknown, done: (...result: unknown[]) => void) => {
    if (isIP(name)) return real(name, options, done)
    const found = lookUp(name)
    if (found === undefined) return
    if (typeof found !== 'string') return queueMicrotask(() => done(null, found))
    const facts = { code: found, syscall: 'getaddrinfo', hostname: name }
    queueMicrotask(() => done(Object.assign(new Error(`getaddrinfo ${found} ${name}`), facts)))
  }
  const spy = vi.spyOn(dns, 'lookup').mockImplementation(lookup as unknown as typeof dns.lookup) // one of its overloads
  onTestFinished(() => spy.mockRestore())
}
