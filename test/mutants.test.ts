import { runInNewContext } from 'node:vm'
import ts from 'typescript-5.6'
import { describe, expect, test } from 'vitest'
import { instrument } from '../scripts/mutants/instrument.mjs'

/** Each mutant of a source as `original → mutated`, in the order of their numbers. */
function mutantsOf(source: string): readonly string[] {
  return instrument('a.ts', source, 1).mutants.map(
    ({ original, mutated }) => `${original} → ${mutated === '' ? 'removed' : mutated}`,
  )
}

/** Runs a source that sets `result`, with one of its mutants in force or with none. */
function resultOf(source: string, active = 0): unknown {
  const { code } = instrument('a.ts', source, 1)
  const { outputText } = ts.transpileModule(code, { compilerOptions: { target: ts.ScriptTarget.ES2022 } })
  const mutant = (number: number) => number === active
  return runInNewContext(`${outputText}; result`, { mutant, result: undefined })
}

describe('test:mutants: what is turned around', () => {
  test('a condition becomes constant, its operands lose their effect, a boundary moves', () => {
    expect(mutantsOf('if (a && size > most) f()')).toEqual([
      'a → true',
      'size > most → true',
      'size > most → size >= most',
      'a && size > most → true',
      'a && size > most → false',
      'f() → removed',
    ])
    expect(mutantsOf('const x = a || b || c')).toEqual([
      'a → false',
      'b → false',
      'c → false',
      'a || b || c → true',
      'a || b || c → false',
    ])
  })

  test('numbers, words of a union, lists and defaults', () => {
    expect(mutantsOf('const most = 20')).toEqual(['20 → 21', '20 → 19'])
    expect(mutantsOf('const known = ["once", "always"]')).toEqual([
      '"once" → \'\'',
      '"always" → \'\'',
      '["once", "always"] → []',
    ])
    expect(mutantsOf('const x = a ?? b')).toEqual(['a ?? b → b', 'a ?? b → a'])
    expect(mutantsOf('const x = list[0] ?? b')).toEqual(['0 → 1', 'list[0] ?? b → b'])
  })

  test('statements that do something, and returns before the end', () => {
    expect(mutantsOf('function f() { this.x = y; for (const a of b) return a; return c }')).toEqual([
      'this.x = y; → removed',
      'return a; → removed',
    ])
  })

  test('not: types, texts, what is logged, errors, durations and sizes', () => {
    const sources = [
      "type A = 'a' | 1",
      'let x: A = y as 1',
      'const text = `${a ? "x" : "y"}`',
      "const text = 'The file is damaged.'",
      'warn(a ? b : c)',
      'const error = new HostError("usage", {}, a ? b : c)',
      'const waitMs = 5000',
      'const most = 16 * 1024 * 1024',
      'clearTimeout(timer)',
    ]
    expect(sources.flatMap(mutantsOf)).toEqual([])
  })

  test('a mutant says where it is, and whether it is decided once', () => {
    const { mutants } = instrument('a.ts', 'const most = 1\nconst f = () => g(!a)', 7)
    expect(mutants.map(({ number, line, column, isStatic }) => [number, line, column, isStatic])).toEqual([
      [7, 1, 14, true],
      [8, 1, 14, true],
      [9, 2, 19, false],
    ])
  })
})

describe('test:mutants: the source with its mutants', () => {
  const source = `
    const seen = []
    const note = (text) => seen.push(text)
    for (const n of [1, 2, 3]) {
      if (n > 1 && n !== 3) continue
      note(n)
    }
    void (() => note('end'))()
    result = seen.join()
  `

  test('does the same as long as none is in force, and keeps its lines', () => {
    expect(resultOf(source)).toBe('1,3,end')
    expect(instrument('a.ts', source, 1).code.split('\n')).toHaveLength(source.split('\n').length)
  })

  test('does something else with each of them', () => {
    const { mutants } = instrument('a.ts', source, 1)
    const results = Object.fromEntries(
      mutants.map(({ original, mutated, number }) => {
        try {
          return [`${original} → ${mutated}`, resultOf(source, number)]
        } catch (error) {
          return [`${original} → ${mutated}`, String(error)]
        }
      }),
    )
    expect(results).toMatchObject({
      'n > 1 → true': '3,end',
      'n > 1 → n >= 1': '3,end',
      'n !== 3 → true': '1,end',
      'n > 1 && n !== 3 → true': 'end',
      'n > 1 && n !== 3 → false': '1,2,3,end',
      'note(n) → ': 'end',
      '[1, 2, 3] → []': 'end',
    })
  })
})
