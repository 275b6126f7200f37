import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'

/** What a program can do to whoever started it. */
export const processActions = {
  exit: (code = 0, { port }) => leave(port, () => process.exit(code)),
  kill: (signal = 'SIGKILL', { port }) => leave(port, () => process.kill(process.pid, signal)),
  grandchild,
  closeStdin() {
    process.stdin.destroy()
    closeQuietly(0)
  },
  closeStdout() {
    process.stdout.destroy()
    closeQuietly(1)
  },
  stopReading: () => void process.stdin.pause(),
  resumeReading: () => void process.stdin.resume(),
  /** Nothing runs any more: no signal handler of ours, no reading, no writing. */
  freeze: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
}

/** What was written before reaches the pipe before we are gone. */
async function leave(port, end) {
  await port?.flush?.()
  end()
}

/** A process of ours that sleeps: `{ holds: 'stdout' | 'nothing', setsid, ignoreSigterm }`. It ends by itself in the end. */
async function grandchild(options = {}, { server }) {
  const { holds = 'stdout', setsid = false, ignoreSigterm = false } = options ?? {}
  const script = `${ignoreSigterm ? 'trap "" TERM; ' : ''}exec sleep 600`
  const child = spawn('sh', ['-c', script], {
    stdio: ['ignore', holds === 'stdout' ? 'inherit' : 'ignore', 'ignore'],
    detached: setsid,
  })
  await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
  child.unref()
  server.journal.add({ event: 'grandchild', pid: child.pid })
  process.stderr.write(`grandchild ${child.pid}\n`)
}

function closeQuietly(fd) {
  try {
    closeSync(fd)
  } catch {
    // The stream closed it already.
  }
}
