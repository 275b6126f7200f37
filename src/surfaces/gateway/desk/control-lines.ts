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
  return (chunk) => {
    // A loop: one piece may have thousands of control lines.
    for (let rest = chunk; rest.length > 0;) {
      if (held === undefined) {
        const start = rest.indexOf(0)
        if (start !== 0) onBytes(start < 0 ? rest : rest.subarray(0, start))
        if (start < 0) return
        rest = rest.subarray(start + 1)
      }
      const end = rest.indexOf(10)
      const part = end < 0 ? rest : rest.subarray(0, end)
      const line: Buffer = held ? Buffer.concat([held, part]) : part
      if (end < 0) {
        held = line.length > maxBytes ? undefined : line
        return
      }
      held = undefined
      rest = rest.subarray(end + 1)
      onControl(line.toString('utf8'))
    }
  }
}
