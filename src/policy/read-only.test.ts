import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Annotations } from '../model/tool.ts'
import { joinGuards, toGuard } from './read-only.ts'
import type { ReadOnlyGuard, Subject } from './read-only.ts'

const tool = (annotations?: Annotations, name = 'look'): Subject => ({
  name: `git__${name}`,
  ref: `git/${name}`,
  server: 'git',
  tool: name,
  ...(annotations && { annotations }),
})
const refusals = (guard: ReadOnlyGuard, ...tools: readonly Subject[]) =>
  tools.map((each) => toGuard(guard).refusal(each))

describe('the read-only guard', () => {
  test('judges by what a tool says of itself, unless it is off or a person excepts the tool', () => {
    const judges = (guard: ReadOnlyGuard) => toGuard(guard).judges(tool())
    expect([
      judges({ policy: 'off' }),
      judges({ policy: 'reject-declared' }),
      judges({ policy: 'require-declared', except: ['git/*'] }),
    ]).toEqual([false, true, false])
  })

  test('of several each may refuse, and each may judge', () => {
    const all = [
      { policy: 'reject-declared', except: ['git/*'] } as const,
      { policy: 'require-declared', believes: ['git'] } as const,
    ].map(toGuard)
    const joined = joinGuards(all)
    expect([joined?.refusal(tool()), joined?.judges(tool())]).toEqual(['It is not declared read-only.', true])
    expect(joined?.refusal(tool({ readOnlyHint: true }))).toBeUndefined()
    expect([joinGuards([]), joinGuards(all.slice(0, 1))]).toEqual([undefined, all[0]])
  })

  test('off lets everything pass', () => {
    expect(refusals({ policy: 'off' }, tool({ readOnlyHint: false }))).toEqual([undefined])
  })

  test('P4, B18, C12 reject-declared refuses an outspoken false, under the name of the standard and the older one', () => {
    expect(
      refusals(
        { policy: 'reject-declared' },
        tool({ readOnlyHint: false }),
        tool({ readOnly: false }),
        tool({ readOnlyHint: true, readOnly: false }),
      ),
    ).toEqual([
      'It is declared to write (readOnlyHint is false).',
      'It is declared to write (readOnly is false).',
      'It is declared to write (readOnly is false).',
    ])
  })

  test('P5 reject-declared accepts a tool that says true, something else, or nothing', () => {
    const odd = { readOnlyHint: 'false' } as unknown as Annotations // servers send what they like
    expect(
      refusals(
        { policy: 'reject-declared' },
        tool(),
        tool({}),
        tool({ readOnly: true }),
        tool({ readOnlyHint: true }),
        tool({ destructiveHint: true }),
        tool(odd),
      ),
    ).toEqual(Array.from({ length: 6 }))
  })

  test('C12 require-declared wants a true that is believed', () => {
    const believed: ReadOnlyGuard = { policy: 'require-declared', believes: ['git'] }
    expect(refusals(believed, tool({ readOnlyHint: true }), tool(), tool({ readOnly: true }))).toEqual([
      undefined,
      'It is not declared read-only.',
      'It is not declared read-only.',
    ])
    expect(refusals({ policy: 'require-declared' }, tool({ readOnlyHint: true }))).toEqual([
      'What the server "git" says of its tools is not believed.',
    ])
  })

  test('T22 a deleter that says it only reads is refused, believed or not', () => {
    const liar = tool({ readOnlyHint: true }, 'delete_all')
    expect(refusals({ policy: 'require-declared' }, liar)).toEqual([
      'What the server "git" says of its tools is not believed.',
    ])
    const guard: ReadOnlyGuard = { policy: 'require-declared', believes: ['git'] }
    expect(
      refusals(
        guard,
        liar,
        tool({ readOnlyHint: true }, 'fileDelete'),
        tool({ readOnlyHint: true }, 'get_delete_log'),
        tool({ readOnlyHint: true, destructiveHint: true }),
      ),
    ).toEqual([
      'It is declared read-only, but its name says "delete".',
      'It is declared read-only, but its name says "delete".',
      undefined,
      'It is declared read-only and destructive at once.',
    ])
  })

  test('T22 a person may let a tool through by a glob', () => {
    const guard: ReadOnlyGuard = { policy: 'require-declared', except: ['git/*', '!git/delete_*'] }
    expect(refusals(guard, tool(), tool({}, 'delete_all'))).toEqual([
      undefined,
      'It is not declared read-only.',
    ])
  })

  test('the embedder’s own tools pass unless they say that they write', () => {
    const guard: ReadOnlyGuard = { policy: 'require-declared' }
    const native = (annotations?: Annotations): Subject => ({
      name: 'edit',
      ...(annotations && { annotations }),
    })
    expect(refusals(guard, native(), native({ readOnlyHint: false }))).toEqual([
      undefined,
      'It is declared to write (readOnlyHint is false).',
    ])
  })

  test('T22 under reject-declared annotations only tighten: with none of them a tool would pass', () => {
    const flag = fc.constantFrom(undefined, true, false)
    fc.assert(
      fc.property(flag, flag, flag, (readOnlyHint, readOnly, destructiveHint) => {
        const given = { readOnlyHint, readOnly, destructiveHint }
        const said = Object.entries(given).filter(([, value]) => value !== undefined)
        const annotations = Object.fromEntries(said)
        const isRefused = toGuard({ policy: 'reject-declared' }).refusal(tool(annotations)) !== undefined
        expect(isRefused).toBe(readOnlyHint === false || readOnly === false)
      }),
    )
  })
})
