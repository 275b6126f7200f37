import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { outputOf, startProgram } from './program.ts'
import type { Program } from './program.ts'

/** Why bwrap cannot be tested here; empty if it works. A machine may have it and forbid what it needs. */
export const noBwrap = tryRunner('bwrap', ['--unshare-all', '--ro-bind', '/', '/', 'true'])

/** Why strace cannot be tested here; empty if it works. A machine may have it and forbid tracing. */
export const noStrace = tryRunner('strace', ['-o', '/dev/null', 'true'])

/** Arguments of podman that work as root on Debian 12 too. */
export const podmanSettings = {
  engine: ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs'],
  run: ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=512:512'],
}

/** An image with Node.js of this machine, `sleep` and their libraries: tests fetch nothing. */
export const testImage = `localhost/plugboard-test:${process.version}`

/** Why podman cannot be tested here; empty if it works. Makes the image on the first use. */
export function noPodman(): string {
  // A person's own containers are in the home folder, and each test has a home of its own.
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'podman is tested as root on Linux only'
  const missing = tryRunner('podman', [...podmanSettings.engine, 'version'])
  if (missing !== '') return missing
  const hasImage = tryRunner('podman', [...podmanSettings.engine, 'image', 'exists', testImage]) === ''
  const image = hasImage ? '' : importImage()
  const command = ['run', '--rm', '--init', '--pull=never', '--log-driver=none', ...podmanSettings.run]
  return image || tryRunner('podman', [...podmanSettings.engine, ...command, testImage, 'node', '--version'])
}

function importImage(): string {
  const root = mkdtempSync(join(tmpdir(), 'plugboard-image-'))
  try {
    for (const folder of ['tmp', 'proc', 'sys', 'dev', 'etc', 'usr/bin'])
      mkdirSync(join(root, folder), { recursive: true })
    const sleep = outputOf('sh', ['-c', 'command -v sleep']).trim()
    for (const [program, place] of [
      [process.execPath, '/usr/bin/node'],
      [sleep, '/usr/bin/sleep'],
    ] as const) {
      copyInto(root, program, place)
      for (const [library] of outputOf('ldd', [program]).matchAll(/\/\S+/g)) copyInto(root, library, library)
    }
    const tar = join(root, '..', `${basename(root)}.tar`)
    const failed = tryRunner('tar', ['-C', root, '-cf', tar, '.'])
    const result = failed || tryRunner('podman', [...podmanSettings.engine, 'import', tar, testImage])
    rmSync(tar, { force: true })
    return result
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function copyInto(root: string, from: string, place: string): void {
  mkdirSync(dirname(join(root, place)), { recursive: true })
  copyFileSync(from, join(root, place))
}

function tryRunner(command: string, args: readonly string[]): string {
  const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8', timeout: 60_000 })
  if (error) return `${command} is not installed`
  return status === 0 ? '' : `${command} does not work here: ${stderr.trim()}`
}

/** A process of this machine that a boxed server must neither see nor end. */
export function startVictim(): Program {
  const victim = startProgram('sleep', ['600'], { env: { PATH: process.env['PATH'], VICTIM: 'its-secret' } })
  onTestFinished(() => victim[Symbol.asyncDispose]())
  return victim
}

/** A service on an abstract socket; returns its name. */
export async function startAbstractService(): Promise<string> {
  const name = `plugboard-test-${process.pid}-${Math.random().toString(16).slice(2)}`
  const service = createServer((socket) => socket.destroy())
  onTestFinished(() => void service.close())
  service.listen(`\0${name}`)
  await once(service, 'listening')
  return name
}

/** A service on the loopback interface; returns its port. */
export async function startService(): Promise<number> {
  const service = createServer((socket) => socket.destroy())
  onTestFinished(() => void service.close())
  service.listen(0, '127.0.0.1')
  await once(service, 'listening')
  return (service.address() as AddressInfo).port // it listens on TCP
}
