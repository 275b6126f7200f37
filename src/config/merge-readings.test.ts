import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { serverOf } from '../../test/support/server.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Server, ShadowedServer } from '../model/server.ts'
import type { SourceReading } from '../sources/source.ts'
import { memoryFiles } from '../testing/memory-files.ts'
import { mergeReadings } from './merge-readings.ts'

const files = memoryFiles({})

const reading = (
  servers: readonly Server[],
  shadowed: readonly ShadowedServer[] = [],
  diagnostics: readonly Diagnostic[] = [],
): SourceReading => ({ servers, shadowed, diagnostics })

const from = (source: string, name: string, file = `/${source}.json`, fields: Partial<Server> = {}) =>
  serverOf(name, { ...fields, origin: { source, file } })

const where = (servers: readonly Server[]) => servers.map(({ name, origin }) => `${name}@${origin.source}`)

describe('mergeReadings: several sources', () => {
  test('the first declaration of a name wins, and the other is shadowed with a diagnostic', async () => {
    const [mine, theirs] = [from('plugboard', 'a'), from('cursor', 'a')]
    const merged = await mergeReadings([reading([mine]), reading([theirs, from('cursor', 'b')])], files)
    expect(where(merged.servers)).toEqual(['a@plugboard', 'b@cursor'])
    expect(merged.shadowed).toEqual([{ server: theirs, by: mine.origin }])
    expect(merged.diagnostics).toEqual([
      {
        code: 'shadowed',
        severity: 'info',
        message: '"a" is hidden by the user entry of plugboard in /plugboard.json.',
        server: 'a',
        origin: theirs.origin,
      },
    ])
  })

  test('a disabled server claims its name too', async () => {
    const off = from('plugboard', 'a', '/p.json', { enabled: false })
    const merged = await mergeReadings([reading([off]), reading([from('cursor', 'a')])], files)
    expect(where(merged.servers)).toEqual(['a@plugboard'])
    expect(merged.diagnostics[0]?.message).toContain('where it is off')
  })

  test('a name may repeat within one source', async () => {
    const twice = [from('continue', 'a', '/1.yaml'), from('continue', 'a', '/2.yaml')]
    const merged = await mergeReadings([reading(twice)], files)
    expect([where(merged.servers), merged.shadowed]).toEqual([['a@continue', 'a@continue'], []])
  })

  test('a server of an agent does not clash with a general one of the same name', async () => {
    const own = from('kiro', 'a', '/agent.json', { agent: 'review' })
    const merged = await mergeReadings([reading([from('plugboard', 'a')]), reading([own])], files)
    expect(where(merged.servers)).toEqual(['a@plugboard', 'a@kiro'])
  })
})

describe('D-16 mergeReadings: a file that several sources read', () => {
  test('an entry is one declaration, also through a link', async () => {
    const linked = { ...files, realPath: async (path: string) => path.replace('/link/', '/real/') }
    const merged = await mergeReadings(
      [
        reading([from('claude-code', 'a', '/real/.mcp.json')]),
        reading([from('copilot-cli', 'a', '/link/.mcp.json')]),
      ],
      linked,
    )
    expect([where(merged.servers), merged.shadowed, merged.diagnostics]).toEqual([['a@claude-code'], [], []])
  })

  test('a hidden entry is reported once', async () => {
    const [winner, hidden] = [from('cursor', 'a', '/project'), from('cursor', 'a', '/user')]
    const note = (server: Server): Diagnostic => ({
      code: 'shadowed',
      severity: 'info',
      message: '',
      origin: server.origin,
    })
    const other = { ...hidden, origin: { ...hidden.origin, source: 'mcporter' } }
    const merged = await mergeReadings(
      [
        reading([winner], [{ server: hidden, by: winner.origin }], [note(hidden)]),
        reading([], [{ server: other, by: winner.origin }], [note(other)]),
        reading([other]),
      ],
      files,
    )
    expect(where(merged.servers)).toEqual(['a@cursor'])
    expect(merged.shadowed).toEqual([{ server: hidden, by: winner.origin }])
    expect(merged.diagnostics).toEqual([note(hidden)])
  })

  test('a layer of a merged server is not a declaration of its own', async () => {
    const [high, low] = [from('codex', 'a', '/project.toml'), from('codex', 'a', '/user.toml')]
    const joined = { ...high, declared: [...high.declared, ...low.declared] }
    const merged = await mergeReadings([reading([joined]), reading([from('warp', 'a', '/user.toml')])], files)
    expect([where(merged.servers), merged.shadowed]).toEqual([['a@codex'], []])
  })
})

describe('mergeReadings: any readings', () => {
  const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'toString')
  const readings = fc
    .array(fc.uniqueArray(fc.tuple(names, fc.boolean()), { selector: ([name]) => name }), { maxLength: 5 })
    .map((sources) =>
      sources.map((rows, index) =>
        reading(rows.map(([name, enabled]) => from(`s${index}`, name, `/${index}.json`, { enabled }))),
      ),
    )
  const count = (all: readonly Server[], name: string) => all.filter((server) => server.name === name).length

  test('the first wins, and every declaration is in servers or shadowed exactly once', async () => {
    await fc.assert(
      fc.asyncProperty(readings, async (all) => {
        const declared = all.flatMap(({ servers }) => servers)
        const { servers, shadowed } = await mergeReadings(all, files)
        for (const name of new Set(declared.map((server) => server.name))) {
          expect(servers.find((server) => server.name === name)).toBe(
            declared.find((server) => server.name === name),
          )
          expect(count(servers, name)).toBe(1)
          expect(count([...servers, ...shadowed.map((pair) => pair.server)], name)).toBe(
            count(declared, name),
          )
        }
      }),
    )
  })

  test('the order of sources matters only for the names they share', async () => {
    await fc.assert(
      fc.asyncProperty(readings, async (all) => {
        const shared = (name: string) => all.filter(({ servers }) => count(servers, name) > 0).length > 1
        const alone = (servers: readonly Server[]) =>
          where(servers.filter(({ name }) => !shared(name))).sort()
        const forward = await mergeReadings(all, files)
        const backward = await mergeReadings([...all].reverse(), files)
        expect(alone(backward.servers)).toEqual(alone(forward.servers))
        expect(backward.servers.map(({ name }) => name).sort()).toEqual(
          forward.servers.map(({ name }) => name).sort(),
        )
      }),
    )
  })
})
