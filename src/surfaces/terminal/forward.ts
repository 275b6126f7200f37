import { Writable } from 'node:stream'
import type { TerminalStream } from './terminal-output.ts'

/**
 * A terminal's stream for one command: whatever listens to it goes with the command, and nothing stays with the terminal.
 * Nothing waits in it either, so that what comes next on the screen comes after it; `when` may put a text off.
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
  // Who cares whether it arrives listens as well.
  forward.on('error', () => undefined)
  return Object.defineProperties(forward, {
    isTTY: { get: () => stream.isTTY === true },
    columns: { get: () => stream.columns },
    rows: { get: () => stream.rows },
  })
}
