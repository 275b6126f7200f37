import type { Origin, Server, Transport } from '../../src/model/server.ts'

/** A declared server with defaults for all fields. */
export function serverOf(
  name: string,
  fields: Partial<Omit<Server, 'origin' | 'transport'>> & {
    readonly origin?: Partial<Origin>
    readonly transport?: Transport
    readonly entry?: Server['declared'][number]['entry']
  } = {},
): Server {
  const { origin: where, transport, entry, ...rest } = fields
  const origin: Origin = {
    source: 'plugboard',
    scope: 'user',
    authority: 'user',
    file: '/home/dana/.config/plugboard/mcp.json',
    pointer: `/mcpServers/${name}`,
    line: 1,
    column: 1,
    ...where,
  }
  const placeOf = (pointer: string) => ({ file: origin.file, pointer })
  return {
    id: `${name}-${origin.file}`,
    name,
    entryHash: 'sha256:0',
    transport: transport ?? stdioOf(name),
    protocol: 'auto',
    origin,
    enabled: true,
    timeouts: {},
    tools: { allow: null, deny: [] },
    declared: [{ origin, entry: entry ?? {}, placeOf }],
    extra: {},
    ...rest,
  }
}

export function stdioOf(
  command: string,
  fields: Partial<Transport & { kind: 'stdio' }> = {},
): Transport & { kind: 'stdio' } {
  return { kind: 'stdio', command, args: [], env: {}, framing: 'auto', inheritEnv: false, ...fields }
}

export function httpOf(
  url: string,
  fields: Partial<Transport & { kind: 'http' | 'sse' }> = {},
): Transport & { kind: 'http' | 'sse' } {
  return { kind: 'http', url, headers: {}, ...fields }
}
