import { Writable } from 'node:stream'
import type { TerminalStream } from './terminal-output.ts'

/**
 * A stream for one command that writes to the terminal: listeners of the command end with it and do not pile up there.
 * It does not buffer, so later output appears after it; `when` may postpone a write.
 */
export function forwardTo(
  stream: TerminalStream & { readonly rows?: number },
  when: (write: () => void) => void = (write) => write(),
): TerminalStream {
  const forward = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      when(() => stream.write(chunk, (error) => void (error && forward.destroy(error))))
      done()
    },
  })
  // Without a listener an error would crash the process; commands that care add their own.
  forward.on('error', () => undefined)
  return Object.defineProperties(forward, {
    isTTY: { get: () => stream.isTTY === true },
    columns: { get: () => stream.columns },
    rows: { get: () => stream.rows },
  })
}
