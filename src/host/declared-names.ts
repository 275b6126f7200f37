import { HostError } from '../model/error.ts'
import { nearest } from '../model/near.ts'
import type { Discovery, Server } from '../model/server.ts'

/** The servers in force by their names. */
export function byName({ servers }: Discovery): ReadonlyMap<string, Server> {
  return new Map(servers.map((server) => [server.name, server]))
}

/** The error about a server that is not declared, with similar names. */
export function unknownServer(name: string, declared: readonly string[]): HostError<'server.unknown'> {
  const near = nearest(name, declared)
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'List all servers: plugboard list'
  return new HostError('server.unknown', { server: name, near }, `There is no server "${name}".`, { hint })
}

/** The error about a server that cannot be removed by the program, because a file declares it. */
export function declaredInFile(name: string, file: string): HostError<'config.invalid'> {
  return new HostError(
    'config.invalid',
    { server: name, file },
    `"${name}" is declared in ${file}, not by the program.`,
    { hint: 'host.remove removes servers of host.add and createHost({ servers }).' },
  )
}
