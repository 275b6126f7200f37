import { readLockFile } from '../lock-file/read-lock-file.ts'
import type { LockReading } from '../lock-file/read-lock-file.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { LockState } from '../model/locked-server.ts'
import type { Server } from '../model/server.ts'
import type { Files } from '../platform/platform.ts'
import type { World } from '../sources/source.ts'
import { portableHash } from './trust/portable-hash.ts'

interface LockContext {
  readonly files: Files
  readonly world: Pick<World, 'home' | 'dirs'>
}

/**
 * What the lock files say about servers of projects (D-11). The file of a server is in the folder of the project that
 * declares it. A file that cannot be used is a diagnostic, and counts for every server of its project.
 */
export async function readLockStates(
  servers: readonly Server[],
  { files, world }: LockContext,
): Promise<{ readonly locks: ReadonlyMap<Server, LockState>; readonly diagnostics: readonly Diagnostic[] }> {
  const folders = new Set(servers.flatMap(({ folder }) => folder ?? []))
  const readings = new Map<string, LockReading>()
  for (const folder of folders) readings.set(folder, await readLockFile(folder, files))
  const locks = new Map<Server, LockState>()
  for (const server of servers) {
    const reading = server.folder === undefined ? undefined : readings.get(server.folder)
    if (!reading || reading.kind === 'absent') continue
    locks.set(
      server,
      reading.kind === 'broken'
        ? withoutText(reading)
        : toState(server, reading, await portableHash(server, { files, ...world })),
    )
  }
  return { locks, diagnostics: [...readings.values()].flatMap(toDiagnostic) }
}

function withoutText(reading: LockReading & { readonly kind: 'broken' }): LockState {
  const { kind, file, problem, line, column, hint } = reading
  return { kind, file, problem, line, column, hint }
}

function toState(
  { name }: Server,
  { file, lock }: LockReading & { readonly kind: 'lock' },
  declaration: string,
): LockState {
  const locked = lock.servers.get(name)
  return locked ? { kind: 'locked', file, declaration, locked } : { kind: 'missing', file, declaration }
}

function toDiagnostic(reading: LockReading): readonly Diagnostic[] {
  if (reading.kind !== 'broken') return []
  const { file, line, column, problem, hint } = reading
  return [
    {
      code: 'lock-broken',
      severity: 'error',
      message: `${problem} Everything of the servers that this project declares is held.`,
      hint,
      origin: { file, line, column },
    },
  ]
}
