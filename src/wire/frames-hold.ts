const capacity = 16 * 1024
const smallest = 1024
const newline = 0x0a

/** Bytes that wait for the next chunk: the beginning of a character, or crumbs of a line too small to be kept each. */
export class Hold {
  #bytes: Buffer | undefined
  #length = 0

  /** Whether the chunk is held, because it is a crumb in the middle of a line. */
  takes(chunk: Buffer): boolean {
    if (chunk.length > smallest || this.#length + chunk.length > capacity) return false
    if (chunk[chunk.length - 1] === newline || chunk.includes(newline)) return false
    this.#keep(chunk)
    return true
  }

  #keep(bytes: Buffer): void {
    this.#bytes ??= Buffer.allocUnsafe(capacity)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Holds the character that the last bytes begin, and returns those before it. */
  keepTail(bytes: Buffer): Buffer {
    const whole = withoutTail(bytes)
    if (whole.length < bytes.length) this.#keep(bytes.subarray(whole.length))
    return whole
  }

  /** What is held, followed by the chunk. */
  release(chunk?: Buffer): Buffer {
    if (this.#length === 0 || !this.#bytes) return chunk ?? Buffer.alloc(0)
    const held = this.#bytes.subarray(0, this.#length)
    this.#length = 0
    return Buffer.concat(chunk ? [held, chunk] : [held])
  }
}

/** The bytes without a character at their end that is not complete (FI-12). */
export function withoutTail(bytes: Buffer): Buffer {
  const tail = tailLength(bytes)
  return tail === 0 ? bytes : bytes.subarray(0, bytes.length - tail)
}

/** How many of the last bytes begin a character that is not complete. */
function tailLength(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] as number // back is not beyond the start
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return sequenceLength(byte) > back ? back : 0
  }
  return 0
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4
  return lead >= 0xe0 ? 3 : 2
}
