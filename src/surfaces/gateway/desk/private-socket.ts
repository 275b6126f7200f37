import { readdirSync, unlinkSync } from 'node:fs'
import type { Server } from 'node:net'
import { basename, dirname, join } from 'node:path'

/** Listens at a path so that only the user of this process can connect. Rejects if another process listens there. */
export function listenPrivately(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    const before = process.umask(0o177)
    try {
      server.listen(path, resolve)
    } finally {
      process.umask(before)
    }
  })
}

/** How the sockets of gateways are named that a newer version has replaced: like the one they had, with their process ids. */
export function leavingSockets(socket: string): { readonly directory: string; readonly start: string } {
  return { directory: dirname(socket), start: `${basename(socket, '.sock')}-` }
}

/** Removes the sockets that killed processes left: those whose names are `start`, the id of a process and `.sock`. */
export function removeLeftSockets(directory: string, start: string): void {
  for (const name of readdirSync(directory)) {
    const pid = processOfSocket(name, start)
    if (pid !== undefined && !isAlive(pid)) unlinkSync(join(directory, name))
  }
}

/** The process in the name of a socket; `undefined` if it is no name of this kind. */
export function processOfSocket(name: string, start: string): number | undefined {
  const [, pid] = name.startsWith(start) ? (/^(\d+)\.sock$/.exec(name.slice(start.length)) ?? []) : []
  return pid === undefined ? undefined : Number(pid)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
