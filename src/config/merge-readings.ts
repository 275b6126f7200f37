import type { Diagnostic, Place } from '../model/diagnostic.ts'
import { isInCode } from '../model/server.ts'
import type { Server, ShadowedServer } from '../model/server.ts'
import type { Files } from '../platform/platform.ts'
import type { SourceReading } from '../sources/source.ts'

export interface MergedReading {
  readonly servers: readonly Server[]
  readonly shadowed: readonly ShadowedServer[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Merges the readings of all sources, highest rank first. The first declaration of a name wins and shadows the others. */
export async function mergeReadings(
  readings: readonly SourceReading[],
  files: Files,
): Promise<MergedReading> {
  const servers = new Map<string, Server>()
  const shadowed: ShadowedServer[] = []
  const diagnostics: Diagnostic[] = []
  for (const each of await withoutRepeats(readings, files)) {
    const reading = await withoutOwnGateway(each)
    diagnostics.push(...reading.diagnostics)
    shadowed.push(...reading.shadowed)
    for (const server of reading.servers) {
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

/** Leaves out the entries that start this program as a gateway: it would be a server of itself. */
async function withoutOwnGateway(reading: SourceReading): Promise<SourceReading> {
  const mayStart = ({ transport }: Server) =>
    transport.kind === 'stdio' && transport.args.some((arg) => arg.includes('gateway'))
  if (!entriesOf(reading).some(mayStart)) return reading
  const { startsGateway } = await import('../model/launch/starts-gateway.ts')
  const own = reading.servers.filter(startsGateway)
  return {
    ...reading,
    servers: reading.servers.filter((server) => !own.includes(server)),
    shadowed: reading.shadowed.filter(({ server }) => !startsGateway(server)),
    diagnostics: [...reading.diagnostics, ...own.map(isOwnGateway)],
  }
}

function isOwnGateway({ name, origin }: Server): Diagnostic {
  return {
    code: 'own-gateway',
    severity: 'info',
    message: `"${name}" starts Plugboard itself and is not loaded.`,
    origin,
  }
}

/** D-16: an entry of a file is one declaration, even if several sources read that file. */
async function withoutRepeats(
  readings: readonly SourceReading[],
  files: Files,
): Promise<readonly SourceReading[]> {
  if (readings.length < 2) return readings
  const real = await realPaths(readings, files)
  const placeOf = ({ file, pointer }: Place) => `${real.get(file) ?? file}#${pointer ?? ''}`
  const known = new Set<string>()
  const reported = new Set<string>()
  return readings.map((reading) => {
    const isNew = (place: Place) => !known.has(placeOf(place))
    const servers = reading.servers.filter(({ origin }) => isNew(origin))
    const shadowed = reading.shadowed.filter(({ server }) => isNew(server.origin))
    const diagnostics = reading.diagnostics.filter(({ code, origin }) => {
      if (!origin || reported.has(`${code} ${placeOf(origin)}`)) return !origin
      return placesAbove(origin).every(isNew)
    })
    for (const { code, origin } of diagnostics) if (origin) reported.add(`${code} ${placeOf(origin)}`)
    for (const { declared } of entriesOf(reading)) {
      for (const { origin } of declared) known.add(placeOf(origin))
    }
    return { servers, shadowed, diagnostics }
  })
}

/** A place and all pointers above it, so that a problem inside an entry is assigned to that entry. */
function placesAbove({ file, pointer = '' }: Place): readonly Place[] {
  const parts = pointer.split('/')
  return parts.map((_, index) => ({ file, pointer: parts.slice(0, index + 1).join('/') }))
}

function entriesOf({ servers, shadowed }: SourceReading): readonly Server[] {
  return [...servers, ...shadowed.map(({ server }) => server)]
}

async function realPaths(
  readings: readonly SourceReading[],
  files: Files,
): Promise<ReadonlyMap<string, string>> {
  const origins = readings.flatMap(entriesOf).flatMap(({ declared }) => declared.map(({ origin }) => origin))
  const paths = [...new Set(origins.flatMap((origin) => (isInCode({ origin }) ? [] : origin.file)))]
  return new Map(await Promise.all(paths.map(async (path) => [path, await files.realPath(path)] as const)))
}

/** Names may repeat within one source if its owner allows that; between sources the first declaration wins. */
function keyOf(server: Server, taken: ReadonlyMap<string, Server>): string {
  const key = `${server.agent ?? ''}/${server.name}`
  const holder = taken.get(key)
  return holder && holder.origin.source === server.origin.source ? `${key}#${server.id}` : key
}

function hiddenBy(server: Server, holder: Server): Diagnostic {
  const { scope, source, file } = holder.origin
  const holding = isInCode(holder)
    ? 'the one that the program declares'
    : `the ${scope} entry of ${source} in ${file}`
  const off = holder.enabled ? '' : ', where it is off'
  return {
    code: 'shadowed',
    severity: 'info',
    message: `"${server.name}" is hidden by ${holding}${off}.`,
    server: server.name,
    origin: server.origin,
  }
}
