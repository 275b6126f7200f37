import { spawn } from 'node:child_process'
import { closeSync } from 'node:fs'

/** Actions on the process itself. */
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
  /** Blocks the event loop: no signal handler, no reading, no writing. */
  freeze: () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0),
}

/** Flushes earlier output before the process ends. */
async function leave(port, end) {
  await port?.flush?.()
  end()
}

/** Starts a child that sleeps: `{ holds: 'stdout' | 'nothing', setsid, ignoreSigterm }`. It ends after ten minutes. */
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
    // Already closed by the stream.
  }
}
