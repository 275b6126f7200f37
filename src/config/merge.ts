import type { Diagnostic } from '../model/diagnostic.ts'
import type { Server, Shadowed } from '../model/server.ts'
import type { Files } from '../platform/platform.ts'
import type { SourceReading } from '../sources/source.ts'

export interface Merged {
  readonly servers: readonly Server[]
  readonly shadowed: readonly Shadowed[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Joins what the sources say, highest first: the first declaration of a name counts, the others are shown as hidden. */
export async function mergeReadings(readings: readonly SourceReading[], files: Files): Promise<Merged> {
  const servers = new Map<string, Server>()
  const shadowed: Shadowed[] = []
  const diagnostics: Diagnostic[] = []
  const read = new Set<string>()
  const real = realPaths(files)
  for (const [index, reading] of readings.entries()) {
    diagnostics.push(...reading.diagnostics)
    shadowed.push(...reading.shadowed)
    for (const server of reading.servers) {
      // One entry of one file is one declaration, whoever else reads that file (D-16).
      const place =
        readings.length > 1 ? `${await real(server.origin.file)}#${server.origin.pointer}` : server.id
      if (read.has(place) && index > 0) continue
      read.add(place)
      const key = keyOf(server, servers)
      const holder = servers.get(key)
      if (!holder) {
        servers.set(key, server)
        continue
      }
      shadowed.push({ server, by: holder.origin })
      diagnostics.push(hiddenBy(server, holder))
    }
  }
  return { servers: [...servers.values()], shadowed, diagnostics }
}

/** Within one source names may repeat where its owner lets them; between sources the first one counts. */
function keyOf(server: Server, taken: ReadonlyMap<string, Server>): string {
  const key = `${server.agent ?? ''}/${server.name}`
  const holder = taken.get(key)
  return holder && holder.origin.source === server.origin.source ? `${key}#${server.id}` : key
}

function hiddenBy(server: Server, holder: Server): Diagnostic {
  const { scope, source, file } = holder.origin
  const off = holder.enabled ? '' : ', where it is off'
  return {
    code: 'shadowed',
    severity: 'info',
    message: `"${server.name}" is hidden by the ${scope} entry of ${source} in ${file}${off}.`,
    server: server.name,
    origin: server.origin,
  }
}

function realPaths(files: Files): (path: string) => Promise<string> {
  const known = new Map<string, Promise<string>>()
  return (path) => {
    const found = known.get(path) ?? files.realPath(path)
    known.set(path, found)
    return found
  }
}
