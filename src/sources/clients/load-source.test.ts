import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Json } from '../../model/json.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { loadSource } from './load-source.ts'
import { openFiles } from '../open-files.ts'
import { placesOf, sourceIds } from '../places.ts'
import type { World } from '../source.ts'

const world: World = {
  os: 'linux',
  home: '/home/dana',
  cwd: '/home/dana/shop',
  env: {},
  systemRoot: '/',
  dirs: ['/home/dana/shop'],
}

const roots = [
  'mcpServers',
  'servers',
  'mcp',
  'context_servers',
  'amp.mcpServers',
  'extensions',
  'mcp_servers',
  'tools',
]
const keys = [
  ...'type transport command cmd args env environment url uri httpUrl serverUrl'.split(' '),
  ...'headers oauth auth enabled disabled timeout tools cwd lifecycle imports inputs'.split(' '),
  ...'toString valueOf name settings requestOptions env_vars user_config packages remotes'.split(' '),
]
const words = [
  'stdio',
  'http',
  'sse',
  'local',
  'remote',
  'toString',
  'https://a.example',
  '${A}',
  '$(x)',
  '{env:A}',
  '!x',
]

const value: fc.Arbitrary<Json> = fc.oneof(
  { depthSize: 'small' },
  fc.constantFrom<Json>(...words, null, true, false, 0, -1, 1e9, '', [], {}),
  fc.array(fc.constantFrom<Json>(...words, 1, null, {}), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom(...keys), fc.constantFrom<Json>(...words, 1, null, [], {}), { maxKeys: 3 }),
)
const entry = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 6 })
const document = fc.dictionary(
  fc.constantFrom(...roots, ...keys),
  fc.oneof(
    fc.dictionary(fc.constantFrom('a', 'b', 'toString', 'x y'), fc.oneof(entry, value), { maxKeys: 3 }),
    value,
  ),
  { maxKeys: 4 },
)

test.each(sourceIds)(
  'T08 no document makes the reader of %s throw or changes Object.prototype',
  async (id) => {
    const source = await loadSource(id)
    const before = Object.getOwnPropertyNames(Object.prototype)
    await fc.assert(
      fc.asyncProperty(document, document, async (first, second) => {
        const places = placesOf(id, world)
        const texts = places.map(({ path, format }, index) => {
          // JSON is valid YAML; for TOML and Markdown it is arbitrary text.
          const text = JSON.stringify(index % 2 === 0 ? first : second)
          return [path.replaceAll('*', 'x'), format === 'markdown' ? `---\n${text}\n---\n` : text] as const
        })
        const { files } = await openFiles(places, memoryFiles(Object.fromEntries(texts)))
        const reading = source.read(files, world)
        for (const server of [...reading.servers, ...reading.shadowed.map((pair) => pair.server)]) {
          expect(['stdio', 'http', 'sse']).toContain(server.transport.kind)
          expect(source.valuesOf(server, world).syntaxes).toBeInstanceOf(Array)
          expect(server.origin.line).toBeGreaterThan(0)
        }
        for (const { severity, origin } of reading.diagnostics) {
          expect(['error', 'warn', 'info']).toContain(severity)
          expect(origin?.line ?? 1).toBeGreaterThan(0)
        }
        expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before)
      }),
      { numRuns: 150 },
    )
  },
)
