import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { createHost } from '../../index.ts'
import { forwardTo } from '../terminal/forward.ts'
import { createOutput } from '../terminal/terminal-output.ts'
import type { ShellOptions } from './open-shell.ts'
import { createSession } from './session.ts'

/** Lines that come through a pipe, one after the other. Nobody can be asked, so servers are told so. */
export async function runPiped(options: ShellOptions): Promise<number> {
  const { streams, discover, isQuiet, signal } = options
  const { stdin, stdout, stderr, env } = streams
  const output = createOutput({ stdout, stderr, env, quiet: isQuiet })
  const host = await createHost({ ...discover, lifecycle: 'on-demand' })
  options.closeOnEnd(host)
  const lines = createLines(stdin, signal)
  const runner = options.createRunner({
    host,
    conversation: `shell-${randomUUID()}`,
    listen: (waiting) => host.on(waiting.onEvent),
    nextLine: () => lines.next(),
    streams: () => ({
      // What comes through the pipe is lines for the shell, and nothing for its commands.
      stdin: Readable.from([]) as unknown as NodeJS.ReadStream, // it is no terminal
      stdout: forwardTo(stdout) as NodeJS.WriteStream, // as far as commands know
      stderr: forwardTo(stderr) as NodeJS.WriteStream,
    }),
  })
  const session = createSession({
    host,
    runner,
    output,
    hold: async () => ({ [Symbol.dispose]: () => undefined }),
  })
  signal.addEventListener('abort', () => session.cancel(), { once: true })
  let first = 0
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
    const code = await session.execute(line)
    if (code === 'leave' || signal.aborted) break
    if (first === 0) first = code
  }
  lines.close()
  return first
}

/** One that nobody waited for in the end is still the next. */
function createLines(input: NodeJS.ReadStream, signal: AbortSignal) {
  const lines = createInterface({ input, signal })
  const iterator = lines[Symbol.asyncIterator]()
  let coming: Promise<IteratorResult<string, undefined>> | undefined
  return {
    async next(): Promise<string | undefined> {
      const { value } = await (coming ??= iterator.next())
      coming = undefined
      return value
    },
    close: () => lines.close(),
  }
}
