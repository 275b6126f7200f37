// Part of the shim: it imports nothing.

/** More than this is no message of ours; environments can be large. */
const maxBytes = 4 * 1024 * 1024

/** A message between shim and gateway in the middle of MCP: a line that begins with NUL, which JSON never contains. */
export function controlLine(message: object): string {
  return `\0${JSON.stringify(message)}\n`
}

/**
 * Splits control lines from a stream of bytes. They may stand anywhere, also within a message. Everything else is passed
 * on as it came: looking for one byte costs next to nothing.
 */
export function splitControl(
  onBytes: (bytes: Buffer) => void,
  onControl: (text: string) => void,
): (chunk: Buffer) => void {
  let held: Buffer | undefined
  return function read(chunk) {
    if (held === undefined) {
      const start = chunk.indexOf(0)
      if (start < 0) return onBytes(chunk)
      if (start > 0) onBytes(chunk.subarray(0, start))
      held = chunk.subarray(start + 1)
    } else held = Buffer.concat([held, chunk])
    const end = held.indexOf(10)
    if (end < 0) {
      if (held.length > maxBytes) held = undefined
      return
    }
    const [text, rest] = [held.toString('utf8', 0, end), held.subarray(end + 1)]
    held = undefined
    onControl(text)
    if (rest.length > 0) read(rest)
  }
}
