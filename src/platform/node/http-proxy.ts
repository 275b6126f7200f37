import type { Env } from '../platform.ts'
import { HttpError } from '../platform.ts'

/** The proxy for an address according to the environment. Loopback addresses never use a proxy. */
export function findProxy(url: URL, env: Env): URL | undefined {
  if (isLoopback(url.hostname) || isExempt(url, variableOf(env, 'no_proxy'))) return undefined
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const own = variableOf(env, name)
  const value = own || variableOf(env, 'all_proxy')
  return value ? parseProxy(value, own ? name : 'all_proxy') : undefined
}

export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return true
  return /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

function variableOf(env: Env, name: string): string {
  return (env[name] || env[name.toUpperCase()] || '').trim()
}

/** The value may contain a password, so the error names only the variable. */
function parseProxy(value: string, name: string): URL {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^(?:https?|socks5?):$/.test(url.protocol)) return url
  throw new HttpError('network', false, `${name.toUpperCase()} is not the address of a supported proxy.`)
}

/** `*`, or names and addresses; each also covers its subdomains and may have a port. */
function isExempt({ hostname, port, protocol }: URL, list: string): boolean {
  const ownPort = port || (protocol === 'https:' ? '443' : '80')
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true
      // A bare IPv6 address has colons of its own.
      const [, host = entry, onlyPort] = /^([^:]+|\[.+\]):(\d+)$/.exec(entry) ?? []
      const name = host.replace(/^\*?\./, '')
      if (name === '' || (onlyPort !== undefined && onlyPort !== ownPort)) return false
      return hostname === name || hostname === `[${name}]` || hostname.endsWith(`.${name}`)
    })
}
