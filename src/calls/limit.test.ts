import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { capContent, defaultResultLimits, fitForModel } from './limit.ts'
import type { Output } from './tool-output.ts'

const text = (value: string) => ({ type: 'text', text: value })
const of = (...blocks: Output['blocks'][number][]): Output => ({ blocks, failed: false })
const cut = (total: number, max: number) =>
  text(`[The result was cut: it has ${total} bytes, and the limit is ${max}.]`)

describe('capContent (B19)', () => {
  test('does nothing without a limit', () => {
    const output = of(text('x'.repeat(10_000_000)))
    expect(capContent(output, undefined)).toBe(output)
  })

  test('leaves a result within the limit unchanged', () => {
    const output = { ...of(text('é'.repeat(5))), structured: [1] }
    expect(capContent(output, 13)).toBe(output)
  })

  test('cuts a text between two characters and appends a notice', () => {
    expect(capContent(of(text('abc'), text('déf'), text('g')), 5)).toEqual(
      of(text('abc'), text('d'), cut(8, 5)),
    )
  })

  test('drops an image that does not fit, and all blocks after it', () => {
    const image = { type: 'image', data: 'x'.repeat(100), mimeType: 'image/png' }
    const size = JSON.stringify(image).length
    expect(capContent(of(text('a'), image, text('b')), 50)).toEqual(of(text('a'), cut(size + 2, 50)))
  })

  test('counts structured content too', () => {
    expect(capContent({ ...of(text('abc')), structured: { a: 1 } }, 8)).toEqual(of(text('abc'), cut(10, 8)))
  })

  test('BooCode: the limit is 5 × 1024² bytes', () => {
    const max = 5 * 1024 ** 2
    const blocks = capContent(of(text('x'.repeat(max + 1))), max).blocks
    expect(blocks).toEqual([text('x'.repeat(max)), cut(max + 1, max)])
  })
})

describe('fitForModel (C26)', () => {
  const keep = async () => '/spilled/1.txt'

  test('the default limit is 50 KB', async () => {
    const whole = 'x'.repeat(50 * 1024)
    expect(await fitForModel(whole, defaultResultLimits, keep)).toEqual({ text: whole })
    const { text: shown, spilled } = await fitForModel(`${whole}x`, defaultResultLimits, keep)
    expect(shown.length).toBeLessThanOrEqual(50 * 1024)
    expect(spilled).toEqual({ path: '/spilled/1.txt', bytes: 50 * 1024 + 1 })
  })

  test('a cut text has its beginning, end, size and path, in whole lines', async () => {
    const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}`).join('\n')
    const { text: shown } = await fitForModel(lines, { maxModelBytes: 500 }, keep)
    const [head, notice, tail] = shown.split('\n\n')
    expect(head?.split('\n').slice(0, 2)).toEqual(['line 0', 'line 1'])
    expect(lines).toContain(`${head}\n`)
    expect(notice).toBe(
      '[The result has 8889 bytes; its middle is omitted here. The whole result is in the file /spilled/1.txt]',
    )
    expect(lines).toContain(`\n${tail}`)
    expect(tail?.split('\n').at(-1)).toBe('line 999')
  })

  test.each([undefined, async () => undefined])(
    'the notice says that the rest was not kept',
    async (spill) => {
      const fitted = await fitForModel('x'.repeat(300), { maxModelBytes: 200 }, spill)
      expect(fitted).toEqual({
        isIncomplete: true,
        text: expect.stringContaining(
          '[The result has 300 bytes; its middle is omitted here. The rest was not kept.]',
        ),
      })
    },
  )

  test('with a very small limit only the notice is left', async () => {
    expect(await fitForModel('x'.repeat(300), { maxModelBytes: 5 })).toEqual({
      isIncomplete: true,
      text: '[The result has 300 bytes; its middle is omitted here. The rest was not kept.]',
    })
  })

  test('the text never exceeds the limit, and begins and ends like the whole text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({
          unit: fc.constantFrom('a', 'é', '漢', '😀', '\n', '\u200D', '\u{E0067}'),
          maxLength: 2000,
        }),
        fc.integer({ min: 200, max: 2000 }),
        async (whole, maxModelBytes) => {
          const { text: shown } = await fitForModel(whole, { maxModelBytes }, keep)
          expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(maxModelBytes)
          expect(shown).not.toMatch(/\p{Cs}|\uFFFD/u)
          if (shown === whole) return
          expect(Buffer.byteLength(whole)).toBeGreaterThan(maxModelBytes)
          const visible = (value: string | undefined) => value?.replace(/[\u200D\u{E0067}]/gu, '') ?? ''
          const [head, tail] = shown.split(/\n\n\[The result has .*\]\n\n/)
          expect(visible(whole).startsWith(visible(head))).toBe(true)
          expect(visible(whole).endsWith(visible(tail))).toBe(true)
        },
      ),
    )
  })
})
