/** A separate process, for tests in which it runs out of file descriptors or is killed. */
import { closeSync, openSync } from 'node:fs'
import { createStartedFile } from '../../../../src/connections/process/started-groups.ts'
import { startChild } from '../../../../src/platform/node/start-child.ts'
import { nodeFiles } from '../../../../src/platform/node/files.ts'
import { nodeProcesses } from '../../../../src/platform/node/processes.ts'
import { SpawnError } from '../../../../src/platform/platform.ts'

const [task = '', directory = '', count = '1'] = process.argv.slice(2)
const env = { PATH: process.env['PATH'] ?? '' }
/** Ignores the end of its input, SIGTERM and SIGHUP. */
const stubborn = {
  command: 'sh',
  args: ['-c', "trap '' TERM HUP; while :; do sleep 60; done"],
  env,
  cwd: '/',
}

const tasks: Readonly<Record<string, () => Promise<void>>> = { starve, exit, crash, host }
await tasks[task]?.()

function say(what: unknown): void {
  process.stdout.write(`${JSON.stringify(what)}\n`)
}

async function starve(): Promise<void> {
  const hoard: number[] = []
  try {
    for (;;) hoard.push(openSync('/dev/null', 'r'))
  } catch {
    // No file descriptor is left.
  }
  const refused: unknown = await startChild(stubborn).catch((error: unknown) => error)
  for (const file of hoard) closeSync(file)
  say(refused instanceof SpawnError && { reason: refused.reason, message: refused.message })
  const child = await startChild(stubborn)
  say({ kill: child.kill('SIGKILL'), exit: await child.exited })
}

async function exit(): Promise<void> {
  const before = process.listenerCount('exit')
  const child = await startChild(stubborn)
  const more = await startChild(stubborn)
  say({ pids: [child.pid, more.pid], listeners: process.listenerCount('exit') - before })
  process.stdin.once('end', () => process.exit(3)).resume()
}

async function crash(): Promise<void> {
  const child = await startChild(stubborn)
  say({ pids: [child.pid] })
  process.stdin
    .once('end', () => {
      throw new Error('on purpose')
    })
    .resume()
}

async function host(): Promise<void> {
  const clock = { now: () => Date.now() }
  const file = createStartedFile({ directory, cwd: '/', files: nodeFiles, processes: nodeProcesses, clock })
  const pids: number[] = []
  for (let index = 0; index < Number(count); index++) {
    const { pid, startMark, command } = await startChild(stubborn)
    file.started({
      pid,
      startMark,
      command,
      line: '',
      tag: '',
      id: `server-${index}`,
      name: `server ${index}`,
    })
    pids.push(pid)
  }
  await file.settled()
  say({ pids })
  process.stdin.resume()
}
