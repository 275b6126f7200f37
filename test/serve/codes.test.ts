import { describe, expect, test } from 'vitest'
import { isHostError } from '../../src/index.ts'
import { createCodes } from '../../src/surfaces/server/terminal-codes.ts'

function open(options: Partial<Parameters<typeof createCodes>[0]> = {}) {
  const printed: string[] = []
  let time = 1000
  const codes = createCodes({ print: (text) => printed.push(text), now: () => time, ...options })
  return {
    codes,
    printed,
    wait: (ms: number) => (time += ms),
    lastCode: () => /([A-Z2-9]{6})$/.exec(printed.at(-1) ?? '')?.[1] ?? '',
  }
}

/** The code of the thrown error, with its reason. */
function refusal(work: () => unknown) {
  try {
    work()
    return 'accepted'
  } catch (error) {
    if (isHostError(error, 'code.wrong')) return `${error.code} ${error.data.reason}`
    return isHostError(error) ? error.code : String(error)
  }
}

const about = { trust: 'orders', hash: 'abc' }

describe('T37 the page cannot let a program run without the code of the terminal', () => {
  test('the code is shown with what it allows, and counts once', () => {
    const { codes, printed, lastCode } = open()
    const { request } = codes.show({
      about,
      summary: 'it',
      lines: ['Trust "orders"?', 'It would run: node orders.js'],
    })
    expect(printed).toEqual([
      expect.stringMatching(
        /^Trust "orders"\?\nIt would run: node orders\.js\nThis code allows: it\nCode for the page: [A-Z2-9]{6}$/,
      ),
    ])
    const given = { request, code: lastCode(), about }
    expect(refusal(() => codes.use(given))).toBe('accepted')
    expect(refusal(() => codes.use(given))).toBe('code.wrong unknown')
  })

  test('it is accepted as people type it', () => {
    const { codes, lastCode } = open()
    const { request } = codes.show({ about, summary: 'it', lines: [] })
    const typed = ` ${lastCode().toLowerCase().slice(0, 3)}-${lastCode().slice(3)} `
    expect(refusal(() => codes.use({ request, code: typed, about }))).toBe('accepted')
  })

  test('without a code the answer names the command for a terminal', () => {
    const { codes } = open()
    expect(() => codes.use({ about, command: 'plugboard trust orders' })).toThrowError(
      expect.objectContaining({ code: 'code.needed', hint: 'In a terminal: plugboard trust orders' }),
    )
  })

  test('three wrong tries end it', () => {
    const { codes, lastCode } = open()
    const { request } = codes.show({ about, summary: 'it', lines: [] })
    const right = lastCode()
    const wrong = right === 'AAAAAA' ? 'BBBBBB' : 'AAAAAA'
    const tries = [wrong, '', `${right}A`, right].map((code) =>
      refusal(() => codes.use({ request, code, about })),
    )
    expect(tries).toEqual(['code.wrong wrong', 'code.wrong wrong', 'code.wrong wrong', 'code.wrong unknown'])
  })

  test('it ends after five minutes', () => {
    const { codes, lastCode, wait } = open()
    const { request, expiresAt } = codes.show({ about, summary: 'it', lines: [] })
    expect(expiresAt).toBe(1000 + 5 * 60_000)
    wait(5 * 60_000 + 1)
    expect(refusal(() => codes.use({ request, code: lastCode(), about }))).toBe('code.wrong expired')
  })

  test('it does not fit another request, and is used up by the attempt', () => {
    const { codes, lastCode } = open()
    const { request } = codes.show({ about, summary: 'it', lines: [] })
    const code = lastCode()
    expect(refusal(() => codes.use({ request, code, about: { ...about, hash: 'other' } }))).toBe(
      'code.wrong other',
    )
    expect(refusal(() => codes.use({ request, code, about }))).toBe('code.wrong unknown')
  })

  test('the code of one request does not open another', () => {
    const { codes, lastCode } = open()
    const first = codes.show({ about: 1, summary: 'it', lines: [] })
    const code = lastCode()
    codes.show({ about: 2, summary: 'it', lines: [] })
    expect(refusal(() => codes.use({ request: first.request, code: lastCode(), about: 1 }))).toBe(
      'code.wrong wrong',
    )
    expect(refusal(() => codes.use({ request: first.request, code, about: 1 }))).toBe('accepted')
  })

  test('a page that asks again and again does not fill the terminal', () => {
    const { codes, printed, wait } = open()
    const ask = () => refusal(() => codes.show({ about, summary: 'it', lines: [] }))
    expect(Array.from({ length: 25 }, ask).filter((each) => each === 'code.needed')).toHaveLength(5)
    expect(printed).toHaveLength(20)
    wait(5 * 60_000)
    expect(ask()).toBe('accepted')
  })
})

describe('T10 what a code allows cannot be pushed out of sight', () => {
  test('a long line is broken here: no text of a request begins a row', () => {
    const { codes, printed } = open({ columns: () => 60 })
    const forged = 'The page asks to trust "weather".'
    codes.show({ about, lines: [`  Z=${'.'.repeat(200)} ${forged}`], summary: 'to add "evil": sh -c x' })
    const rows = printed.join('\n').split('\n')
    expect(rows.every((row) => row.length <= 60)).toBe(true)
    expect(rows.filter((row) => !row.startsWith('    … '))).toEqual([
      `  Z=${'.'.repeat(52)}`,
      'This code allows: to add "evil": sh -c x',
      expect.stringMatching(/^Code for the page: /),
    ])
  })

  test.each([
    ['many lines', Array.from({ length: 61 }, () => 'x')],
    ['a huge line', ['x'.repeat(4_000_000)]],
  ])('%s: the command of a terminal instead of a code', (_, lines) => {
    const { codes, printed } = open()
    expect(() => codes.show({ about, lines, summary: 'it', command: 'plugboard add x' })).toThrowError(
      expect.objectContaining({ code: 'code.needed', hint: 'In a terminal: plugboard add x' }),
    )
    expect(printed).toEqual([])
  })
})

test('T48 no code is shown where no person sees it', () => {
  const { codes, printed } = open({ notShown: 'There is no terminal to ask in.' })
  expect(() =>
    codes.show({ about, summary: 'it', lines: [], command: 'plugboard trust orders' }),
  ).toThrowError(
    expect.objectContaining({
      code: 'code.needed',
      message: 'No code can be shown: There is no terminal to ask in.',
      hint: 'In a terminal: plugboard trust orders',
    }),
  )
  expect(printed).toEqual([])
})
