import type { Server } from '../../model/server.ts'
import type { FilePlace, Source, World } from '../../sources/source.ts'
import type { ValueRules } from '../../sources/entries/template.ts'

/** How values are written in a file, before there is a server in it. */
export function valuesIn(source: Source, { path, scope, authority }: FilePlace, world: World): ValueRules {
  const someServer: Server = {
    id: '',
    name: '',
    entryHash: '',
    transport: { kind: 'stdio', command: '', args: [], env: {}, framing: 'auto', inheritEnv: false },
    protocol: 'auto',
    origin: { source: source.id, scope, authority, file: path, pointer: '', line: 1, column: 1 },
    enabled: true,
    timeouts: {},
    tools: { allow: null, deny: [] },
    declared: [],
    extra: {},
  }
  return source.valuesOf(someServer, world)
}
