import { BlockList, isIP } from 'node:net'
import { HostError } from '../../../index.ts'
import type { HttpRequest } from '../plain-http/http-messages.ts'

/** What a request says about the way that it came, as far as that is believed. */
export interface RequestWay {
  /** The host that the caller asked for. */
  readonly host: string | undefined
  /** Whether its headers about another hop were believed. */
  readonly isProxied: boolean
}

/** Reads `X-Forwarded-Host` of the proxies that are listed, and of no other sender. */
export function createProxies(listed: readonly string[]): (request: HttpRequest) => RequestWay {
  const known = new BlockList()
  for (const each of listed) add(known, each)
  return (request) => {
    const { headers, socket } = request
    const [address, family] = plainAddress(socket.remoteAddress ?? '')
    if (family === undefined || !known.check(address, family)) return { host: headers.host, isProxied: false }
    const forwarded = headers['x-forwarded-host']
    // Node joins repeated headers with a comma: such a value names no host, and is refused later.
    return { host: typeof forwarded === 'string' ? forwarded : headers.host, isProxied: true }
  }
}

function add(known: BlockList, listed: string): void {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(listed) ?? []
  const family = isIP(address)
  const bits = Number(prefix ?? (family === 4 ? 32 : 128))
  if (family === 0 || bits > (family === 4 ? 32 : 128))
    throw new HostError('usage', {}, `"${listed}" in "gateway.proxies" is no address and no network.`, {
      hint: 'Write 10.0.0.7, or 10.0.0.0/8.',
    })
  known.addSubnet(address, bits, family === 4 ? 'ipv4' : 'ipv6')
}

/** An IPv4 address may come in the form of IPv6. */
function plainAddress(address: string): readonly [string, 'ipv4' | 'ipv6' | undefined] {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  const family = isIP(plain)
  return [plain, family === 4 ? 'ipv4' : family === 6 ? 'ipv6' : undefined]
}
