import type { Env } from '../platform.ts'
import { HttpError } from '../platform.ts'

/** The proxy the environment names for this address. This machine itself is never reached through one. */
export function findProxy(url: URL, env: Env): URL | undefined {
  if (isLoopback(url.hostname) || isExempt(url, either(env, 'no_proxy'))) return undefined
  const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
  const own = either(env, name)
  const value = own || either(env, 'all_proxy')
  return value ? parse(value, own ? name : 'all_proxy') : undefined
}

export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]') return true
  return /^127(?:\.\d{1,3}){3}$/.test(hostname)
}

function either(env: Env, name: string): string {
  return (env[name] || env[name.toUpperCase()] || '').trim()
}

/** The value may hold a password: a complaint names only the variable. */
function parse(value: string, name: string): URL {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^(?:https?|socks5?):$/.test(url.protocol)) return url
  throw new HttpError('network', false, `${name.toUpperCase()} does not name a proxy we can use.`)
}

/** `*`, or names and addresses, each for itself and what is below it, with a port or without. */
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
