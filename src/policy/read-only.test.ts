import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Annotations } from '../model/tool.ts'
import { joinGuards, compileGuard } from './read-only.ts'
import type { ReadOnlyGuard, Subject } from './read-only.ts'

const tool = (annotations?: Annotations, name = 'look'): Subject => ({
  name: `git__${name}`,
  ref: `git/${name}`,
  server: 'git',
  tool: name,
  ...(annotations && { annotations }),
})
const refusals = (guard: ReadOnlyGuard, ...tools: readonly Subject[]) =>
  tools.map((each) => compileGuard(guard).refusal(each))

describe('read-only guard', () => {
  test('applies to a tool unless the policy is off or `except` matches the tool', () => {
    const applies = (guard: ReadOnlyGuard) => compileGuard(guard).appliesTo(tool())
    expect([
      applies({ policy: 'off' }),
      applies({ policy: 'reject-declared' }),
      applies({ policy: 'require-declared', except: ['git/*'] }),
    ]).toEqual([false, true, false])
  })

  test('joinGuards: a tool is refused if any guard refuses it', () => {
    const all = [
      { policy: 'reject-declared', except: ['git/*'] } as const,
      { policy: 'require-declared', believes: ['git'] } as const,
    ].map(compileGuard)
    const joined = joinGuards(all)
    expect([joined?.refusal(tool()), joined?.appliesTo(tool())]).toEqual([
      'It does not declare that it is read-only.',
      true,
    ])
    expect(joined?.refusal(tool({ readOnlyHint: true }))).toBeUndefined()
    expect([joinGuards([]), joinGuards(all.slice(0, 1))]).toEqual([undefined, all[0]])
  })

  test('off: every tool passes', () => {
    expect(refusals({ policy: 'off' }, tool({ readOnlyHint: false }))).toEqual([undefined])
  })

  test('reject-declared: refuses an explicit false, as readOnlyHint or the older readOnly (P4, B18, C12)', () => {
    expect(
      refusals(
        { policy: 'reject-declared' },
        tool({ readOnlyHint: false }),
        tool({ readOnly: false }),
        tool({ readOnlyHint: true, readOnly: false }),
      ),
    ).toEqual([
      'It declares that it writes (readOnlyHint is false).',
      'It declares that it writes (readOnly is false).',
      'It declares that it writes (readOnly is false).',
    ])
  })

  test('reject-declared: accepts true, any other value, and no annotation at all (P5)', () => {
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

  test('require-declared: accepts true only from a server in `believes` (C12)', () => {
    const believed: ReadOnlyGuard = { policy: 'require-declared', believes: ['git'] }
    expect(refusals(believed, tool({ readOnlyHint: true }), tool(), tool({ readOnly: true }))).toEqual([
      undefined,
      'It does not declare that it is read-only.',
      'It does not declare that it is read-only.',
    ])
    expect(refusals({ policy: 'require-declared' }, tool({ readOnlyHint: true }))).toEqual([
      'Declarations of the server "git" are not believed.',
    ])
  })

  test('require-declared: a tool named delete_* is refused even if it declares to be read-only (T22)', () => {
    const liar = tool({ readOnlyHint: true }, 'delete_all')
    expect(refusals({ policy: 'require-declared' }, liar)).toEqual([
      'Declarations of the server "git" are not believed.',
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
      'It declares that it is read-only, but its name contains "delete".',
      'It declares that it is read-only, but its name contains "delete".',
      undefined,
      'It declares that it is both read-only and destructive.',
    ])
  })

  test('require-declared: `except` lets a tool pass by a glob (T22)', () => {
    const guard: ReadOnlyGuard = { policy: 'require-declared', except: ['git/*', '!git/delete_*'] }
    expect(refusals(guard, tool(), tool({}, 'delete_all'))).toEqual([
      undefined,
      'It does not declare that it is read-only.',
    ])
  })

  test('require-declared: native tools pass unless they declare that they write', () => {
    const guard: ReadOnlyGuard = { policy: 'require-declared' }
    const native = (annotations?: Annotations): Subject => ({
      name: 'edit',
      ...(annotations && { annotations }),
    })
    expect(refusals(guard, native(), native({ readOnlyHint: false }))).toEqual([
      undefined,
      'It declares that it writes (readOnlyHint is false).',
    ])
  })

  test('reject-declared: annotations never make a refused tool pass (T22)', () => {
    const flag = fc.constantFrom(undefined, true, false)
    fc.assert(
      fc.property(flag, flag, flag, (readOnlyHint, readOnly, destructiveHint) => {
        const given = { readOnlyHint, readOnly, destructiveHint }
        const declared = Object.entries(given).filter(([, value]) => value !== undefined)
        const annotations = Object.fromEntries(declared)
        const isRefused = compileGuard({ policy: 'reject-declared' }).refusal(tool(annotations)) !== undefined
        expect(isRefused).toBe(readOnlyHint === false || readOnly === false)
      }),
    )
  })
})
