import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { combine } from './combine.ts'
import type { MergeMode } from './combine.ts'
import type { Draft } from './server-draft.ts'
import { parseJsonc } from '../formats/jsonc.ts'
import { Report } from '../source.ts'
import type { OpenFile } from '../source.ts'

const layer = (path: string): OpenFile => ({
  path,
  scope: path,
  authority: 'user',
  role: 'servers',
  format: 'json',
  root: '/',
  doc: parseJsonc('{}'),
})

function draft(name: string, path: string, fields: Partial<Draft> = {}): Draft {
  const origin = {
    source: 'test',
    scope: path,
    authority: 'user',
    file: path,
    pointer: `/${name}`,
    line: 1,
    column: 1,
  } as const
  return {
    name,
    file: layer(path),
    origin,
    declared: [{ origin, entry: {}, placeOf: () => ({ file: path }) }],
    refused: false,
    timeouts: {},
    extra: {},
    ...fields,
  }
}

const stdio = (name: string, path: string, fields: Partial<Draft> = {}) =>
  draft(name, path, { kind: 'stdio', command: name, ...fields })
const http = (name: string, path: string, url: string, fields: Partial<Draft> = {}) =>
  draft(name, path, { kind: 'http', url, ...fields })

function run(drafts: readonly Draft[], mode: MergeMode, options: object = {}) {
  const report = new Report()
  const { winners, hidden } = combine(drafts, { mode, ...options }, report)
  return { winners, hidden, codes: report.diagnostics.map(({ code, severity }) => `${severity} ${code}`) }
}

const places = (drafts: readonly Draft[]) => drafts.map(({ name, origin }) => `${name}@${origin.file}`)

describe('combine: one name in several layers', () => {
  const two = [stdio('a', 'high', { enabled: false }), stdio('a', 'low'), stdio('b', 'low')]

  test('per-name: the highest entry is used, even if it is off, and the lower one is listed as hidden', () => {
    const { winners, hidden } = run(two, 'per-name')
    expect(places(winners)).toEqual(['a@high', 'b@low'])
    expect(hidden.map(({ draft: { origin }, by, remark }) => [origin.file, by.file, remark])).toEqual([
      ['low', 'high', ', where it is off'],
    ])
  })

  test('keep-all: names may repeat', () => {
    expect(places(run(two, 'keep-all').winners)).toEqual(['a@high', 'a@low', 'b@low'])
  })

  test('whole-file: one file hides all others, even if no entry in it can be used', () => {
    const first = two[0]?.origin
    expect(places(run(two, 'whole-file', { first }).winners)).toEqual(['a@high'])
    const unusable = [draft('x', 'high', { refused: true }), ...two.slice(1)]
    expect(run(unusable, 'whole-file', { first })).toMatchObject({ winners: [], hidden: [{}, {}] })
  })

  test('an agent’s server hides no server outside the agent', () => {
    const own = [stdio('a', 'agent', { agent: 'x' }), stdio('a', 'low')]
    expect(places(run(own, 'per-name').winners)).toEqual(['a@agent', 'a@low'])
  })

  test('refusedClaims: a refused entry claims its name only with this option', () => {
    const drafts = [stdio('a', 'high', { refused: true }), stdio('a', 'low')]
    expect(places(run(drafts, 'per-name').winners)).toEqual(['a@low'])
    expect(run(drafts, 'per-name', { refusedClaims: true })).toMatchObject({
      winners: [],
      hidden: [{ remark: ', where it cannot be used' }],
    })
  })

  test('override: an entry without an endpoint changes the one below it, a complete one hides it', () => {
    const { winners, hidden } = run(
      [
        draft('a', 'top', { enabled: false, timeouts: { callMs: 1 } }),
        stdio('a', 'middle', { env: { X: '1' } }),
        stdio('a', 'bottom'),
      ],
      'override',
    )
    expect(winners).toMatchObject([
      { command: 'a', env: { X: '1' }, enabled: false, timeouts: { callMs: 1 }, origin: { file: 'middle' } },
    ])
    expect(winners[0]?.disabledBy).toBe('top#/a/enabled')
    expect(hidden.map(({ draft: { origin } }) => origin.file)).toEqual(['bottom'])
  })

  test('deep: keys are merged, the higher one wins, and the merge is reported', () => {
    const { winners, codes } = run(
      [
        stdio('a', 'high', { args: ['x'], env: { A: 'high' }, timeouts: { callMs: 1 }, extra: { k: 1 } }),
        stdio('a', 'low', {
          args: ['y'],
          env: { A: 'low', B: 'low' },
          timeouts: { startupMs: 2 },
          extra: { l: 2 },
        }),
      ],
      'deep',
    )
    expect(winners).toMatchObject([
      {
        args: ['x'],
        env: { A: 'high', B: 'low' },
        timeouts: { callMs: 1, startupMs: 2 },
        extra: { k: 1, l: 2 },
        origin: { file: 'high' },
        mergedFrom: [{ file: 'low' }],
      },
    ])
    expect(winners[0]?.declared.map(({ origin }) => origin.file)).toEqual(['high', 'low'])
    expect(codes).toEqual(['info merged-across-layers'])
  })
})

describe('T06 combine: credentials stay with the address they were declared for', () => {
  const secrets = {
    headers: { Authorization: 'x' },
    auth: { type: 'bearer', token: 'x' },
    headersCommand: 'sign',
  } as const

  test('a layer that changes only the url does not inherit credentials', () => {
    const { winners, codes } = run(
      [http('a', 'high', 'https://evil.example'), http('a', 'low', 'https://good.example', secrets)],
      'deep',
    )
    expect(winners[0]).toMatchObject({ url: 'https://evil.example' })
    for (const key of ['headers', 'auth', 'headersCommand'] as const) {
      expect(Object.keys(winners[0]?.[key] ?? {})).toEqual([])
    }
    expect(codes).toContain('warn credentials-dropped')
  })

  test('a layer between that only adds keys does not pass credentials on', () => {
    const drafts = [
      http('a', 'top', 'https://evil.example'),
      draft('a', 'middle', { enabled: true, headers: { X: 'y' } }),
      http('a', 'low', 'https://good.example', secrets),
    ]
    const { winners } = run(drafts, 'deep')
    expect(Object.keys(winners[0]?.headers ?? {})).not.toContain('Authorization')
    expect(winners[0]?.auth).toBeUndefined()
  })

  test('a command does not get the headers of a url, nor a url the variables of a command', () => {
    const toProgram = run([stdio('a', 'high'), http('a', 'low', 'https://good.example', secrets)], 'deep')
    expect(toProgram.winners[0]).toMatchObject({ kind: 'stdio', command: 'a' })
    expect(toProgram.winners[0]?.url).toBeUndefined()
    expect(toProgram.winners[0]?.headers).toBeUndefined()
    const env = { TOKEN: 'x' }
    const toUrl = run([http('a', 'high', 'https://evil.example'), stdio('a', 'low', { env })], 'deep')
    expect(toUrl.winners[0]).toMatchObject({ kind: 'http', url: 'https://evil.example' })
    expect(toUrl.winners[0]?.command).toBeUndefined()
    expect(toUrl.winners[0]?.env).toBeUndefined()
  })

  test('credentials are kept if the higher layer has the same url or none', () => {
    const low = http('a', 'low', 'https://good.example', secrets)
    for (const high of [http('a', 'high', 'https://good.example'), draft('a', 'high', { enabled: true })]) {
      const { winners, codes } = run([high, low], 'deep')
      expect(winners[0]).toMatchObject(secrets)
      expect(codes).not.toContain('warn credentials-dropped')
    }
  })
})

describe('combine: any drafts', () => {
  const drafts = fc
    .array(
      fc.record({
        name: fc.constantFrom('a', 'b', 'c', '__proto__'),
        off: fc.boolean(),
        refused: fc.boolean(),
      }),
      { maxLength: 12 },
    )
    .map((rows) =>
      rows.map(({ name, off, refused }, index) => stdio(name, `f${index}`, { enabled: !off, refused })),
    )

  test('per-name: the first usable draft of each name wins and hides every other one', () => {
    fc.assert(
      fc.property(drafts, (all) => {
        const usable = all.filter(({ refused }) => !refused)
        const { winners, hidden } = run(all, 'per-name')
        const first = usable.filter(
          ({ name }, index) => usable.findIndex((other) => other.name === name) === index,
        )
        expect(places(winners)).toEqual(places(first))
        expect(places([...winners, ...hidden.map((pair) => pair.draft)]).sort()).toEqual(
          places(usable).sort(),
        )
        for (const pair of hidden) {
          expect(pair.by).toBe(winners.find(({ name }) => name === pair.draft.name)?.origin)
        }
      }),
    )
  })

  test('the order of unrelated names affects only the order of the result', () => {
    fc.assert(
      fc.property(drafts, fc.constantFrom<MergeMode>('per-name', 'deep', 'override'), (all, mode) => {
        const byName = [...all].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
        expect(places(run(byName, mode).winners).sort()).toEqual(places(run(all, mode).winners).sort())
      }),
    )
  })
})
