import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { createHost } from '../../index.ts'
import { forwardTo } from '../terminal/forward.ts'
import { inShell } from '../terminal/shell-words.ts'
import { createOutput } from '../terminal/terminal-output.ts'
import type { ShellOptions } from './open-shell.ts'
import { createSession } from './session.ts'

/** Runs lines from a pipe one after the other. Questions cannot be answered, so the host does not offer them to servers. */
export async function runPiped(options: ShellOptions): Promise<number> {
  const { streams, discover, isQuiet, signal } = options
  const { stdin, stdout, stderr, env } = streams
  const output = createOutput({ stdout, stderr, env, quiet: isQuiet, proposed: inShell })
  const host = await createHost({
    ...discover,
    lifecycle: 'on-demand',
    scanResults: true,
    audit: { surface: 'shell' },
    accept: 'person',
  })
  options.closeOnEnd(host)
  host.on((event) => {
    if (event.type === 'call.warned' || event.type === 'audit.failed') output.warn(event.message)
  })
  const lines = createLines(stdin, signal)
  const runner = options.createRunner({
    host,
    conversation: `shell-${randomUUID()}`,
    listen: (waiting) => host.on(waiting.onEvent),
    nextLine: () => lines.next(),
    streams: () => ({
      // Piped input belongs to the shell: its commands get an empty stdin.
      stdin: Readable.from([]) as unknown as NodeJS.ReadStream, // not a terminal
      stdout: forwardTo(stdout) as NodeJS.WriteStream, // the part that commands use
      stderr: forwardTo(stderr) as NodeJS.WriteStream,
    }),
  })
  const session = createSession({
    host,
    runner,
    output,
    holdTerminal: async () => ({ [Symbol.dispose]: () => undefined }),
  })
  signal.addEventListener('abort', () => session.cancel(), { once: true })
  let firstFailure = 0
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
    const code = await session.execute(line)
    if (code === 'leave' || signal.aborted) break
    if (firstFailure === 0) firstFailure = code
  }
  lines.close()
  return firstFailure
}

/** A pending read is shared: if its reader gave up, the line goes to the next reader. */
function createLines(input: NodeJS.ReadStream, signal: AbortSignal) {
  const lines = createInterface({ input, signal })
  const iterator = lines[Symbol.asyncIterator]()
  let pending: Promise<IteratorResult<string, undefined>> | undefined
  return {
    async next(): Promise<string | undefined> {
      const { value } = await (pending ??= iterator.next())
      pending = undefined
      return value
    },
    close: () => lines.close(),
  }
}
