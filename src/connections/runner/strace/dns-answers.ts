/** The addresses of an answer of DNS, with the name that was asked for. Not an answer: nothing. */
export function readDnsAnswer(message: Uint8Array): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength)
  if (message.length < 12 || (view.getUint8(2) & 0x80) === 0) return found
  try {
    const asked = readName(view, 12)
    if (view.getUint16(4) !== 1 || asked.name === '') return found
    let at = asked.end + 4
    for (let left = view.getUint16(6); left > 0; left--) {
      at = readName(view, at).end
      const [type, length] = [view.getUint16(at), view.getUint16(at + 8)]
      at += 10
      const address = addressIn(view, at, type, length)
      if (address !== undefined) found.set(address, asked.name)
      at += length
    }
  } catch (error) {
    // It was cut off: what was read so far counts.
    if (!(error instanceof RangeError)) throw error
  }
  return found
}

/** A name ends with an empty part, or with a pointer to a part of the message. Only the name that was asked for is read whole. */
function readName(view: DataView, start: number): { readonly name: string; readonly end: number } {
  const parts: string[] = []
  let at = start
  for (;;) {
    const length = view.getUint8(at)
    if (length === 0) return { name: parts.join('.'), end: at + 1 }
    if (length >= 0xc0) return { name: parts.join('.'), end: at + 2 }
    let part = ''
    for (let index = 1; index <= length; index++) part += String.fromCharCode(view.getUint8(at + index))
    // A name with other characters is shown as its address.
    if (!/^[\w-]+$/.test(part)) throw new RangeError('Not the name of a host')
    parts.push(part)
    at += length + 1
  }
}

function addressIn(view: DataView, at: number, type: number, length: number): string | undefined {
  if (type === 1 && length === 4) return [0, 1, 2, 3].map((index) => view.getUint8(at + index)).join('.')
  if (type === 28 && length === 16)
    return shortIpv6(Array.from({ length: 8 }, (_, index) => view.getUint16(at + index * 2)))
  return undefined
}

/** RFC 5952: the longest run of zeros is left out, as strace writes it too. */
function shortIpv6(parts: readonly number[]): string {
  const host = parts.map((part) => part.toString(16)).join(':')
  return new URL(`http://[${host}]`).hostname.slice(1, -1)
}
