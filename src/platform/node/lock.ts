import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { mkdir, open, realpath } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { HostError } from '../../model/error.ts'

/** macOS: opens a file with an exclusive lock that the kernel releases when the process ends. */
const O_EXLOCK = 0x20

const waitLimitMs = 10_000

/**
 * Runs work with one holder per real path, across processes. The kernel owns the lock (an abstract socket on Linux, a named
 * pipe on Windows, `O_EXLOCK` on macOS), so it is released when a holder is killed, and no clock is involved.
 */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const release = await acquire(await lockName(path), path)
  try {
    return await work()
  } finally {
    await release()
  }
}

async function lockName(path: string): Promise<string> {
  const directory = await realpath(dirname(path)).catch(() => dirname(path))
  const real = await realpath(path).catch(() => join(directory, basename(path)))
  const user = process.getuid?.() ?? 'user'
  return `plugboard-${user}-${createHash('sha256').update(real).digest('hex').slice(0, 32)}`
}

type Release = () => Promise<void>

async function acquire(name: string, path: string): Promise<Release> {
  const deadline = performance.now() + waitLimitMs
  for (;;) {
    const release = await tryAcquire(name)
    if (release) return release
    if (performance.now() > deadline) {
      throw new HostError('config.locked', { file: path }, `Another process has locked ${path} for 10 s.`, {
        hint: 'Close the other program that edits this file, then try again.',
      })
    }
    await sleep(5 + Math.random() * 20)
  }
}

async function tryAcquire(name: string): Promise<Release | undefined> {
  if (process.platform === 'darwin') return tryFile(name)
  return trySocket(process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : `\0${name}`)
}

function trySocket(address: string): Promise<Release | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined)
      else reject(error)
    })
    server.listen(address, () => {
      resolve(() => new Promise<void>((done) => server.close(() => done())))
    })
  })
}

async function tryFile(name: string): Promise<Release | undefined> {
  const directory = join(tmpdir(), 'plugboard-locks')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  try {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NONBLOCK | O_EXLOCK
    const handle = await open(join(directory, name), flags, 0o600)
    return () => handle.close()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined
    throw error
  }
}
