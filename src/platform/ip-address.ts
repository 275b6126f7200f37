/** Whether a host name or address always means this machine. */
export function isLoopbackHost(hostname: string): boolean {
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true
  return isLoopbackAddress(hostname.replace(/^\[(.+)\]$/, '$1'))
}

export function isLoopbackAddress(address: string): boolean {
  const four = parseIPv4(address)
  if (four) return four[0] === 127
  const eight = parseIPv6(address)
  if (!eight) return false
  const inner = mappedIPv4(eight)
  return inner ? inner[0] === 127 : eight.slice(0, 7).every((part) => part === 0) && eight[7] === 1
}

/** Whether an address belongs to the public internet, not to this machine or a private network (T29). */
export function isPublicAddress(address: string): boolean {
  const four = parseIPv4(address)
  if (four) return isPublicIPv4(four)
  const eight = parseIPv6(address)
  if (!eight) return false
  const inner = mappedIPv4(eight) ?? translatedIPv4(eight)
  return inner ? isPublicIPv4(inner) : isPublicIPv6(eight)
}

/** Address and prefix length of every range outside the public internet (RFC 6890 and later ones). */
const privateRanges: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

type Parts = readonly number[]

function isPublicIPv4(four: Parts): boolean {
  const value = toNumber(four)
  return !privateRanges.some(([start, length]) => {
    const size = 2 ** (32 - length)
    const first = toNumber(parseIPv4(start) ?? [])
    return value >= first && value < first + size
  })
}

/** Global unicast, without the ranges for documentation and tunnels. */
function isPublicIPv6([first = 0, second = 0]: Parts): boolean {
  if (first < 0x2000 || first >= 0x4000 || first === 0x2002) return false
  return !(first === 0x2001 && (second < 0x200 || second === 0xdb8))
}

function toNumber(four: Parts): number {
  return four.reduce((sum, part) => sum * 256 + part, 0)
}

function parseIPv4(text: string): Parts | undefined {
  const found = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)
  const parts = found?.slice(1).map(Number)
  return parts?.every((part) => part < 256) ? parts : undefined
}

/** The IPv4 address in `::ffff:1.2.3.4`. */
function mappedIPv4(eight: Parts): Parts | undefined {
  const isMapped = eight.slice(0, 5).every((part) => part === 0) && eight[5] === 0xffff
  return isMapped ? bytesOf(eight, 6) : undefined
}

/** The IPv4 address in `64:ff9b::1.2.3.4`, which a NAT64 translates. */
function translatedIPv4(eight: Parts): Parts | undefined {
  const isTranslated =
    eight[0] === 0x64 && eight[1] === 0xff9b && eight.slice(2, 6).every((part) => part === 0)
  return isTranslated ? bytesOf(eight, 6) : undefined
}

function bytesOf(eight: Parts, from: number): Parts {
  return eight.slice(from, from + 2).flatMap((part) => [part >> 8, part & 255])
}

function parseIPv6(text: string): Parts | undefined {
  const [address = ''] = text.split('%')
  const [head = '', tail, ...more] = address.split('::')
  if (more.length > 0 || !address.includes(':')) return undefined
  const before = groupsOf(head)
  const after = tail === undefined ? [] : groupsOf(tail)
  if (!before || !after) return undefined
  const missing = 8 - before.length - after.length
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  return [...before, ...Array.from({ length: missing }, () => 0), ...after]
}

function groupsOf(text: string): Parts | undefined {
  if (text === '') return []
  const groups: number[] = []
  for (const group of text.split(':')) {
    const four = parseIPv4(group)
    if (four) groups.push(((four[0] ?? 0) << 8) | (four[1] ?? 0), ((four[2] ?? 0) << 8) | (four[3] ?? 0))
    else if (/^[0-9a-f]{1,4}$/i.test(group)) groups.push(Number.parseInt(group, 16))
    else return undefined
  }
  return groups
}
