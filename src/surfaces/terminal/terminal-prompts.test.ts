import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { spawn } from '@lydell/node-pty'
import { rolldown } from 'rolldown'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createPrompts } from './terminal-prompts.ts'
import type { Answer, Prompts } from './terminal-prompts.ts'

// Node reads this variable itself: with TERM=dumb it edits no line.
beforeEach(() => void vi.stubEnv('TERM', 'xterm'))
afterEach(() => void vi.unstubAllEnvs())

const ENTER = '\r'
const CTRL_C = '\u0003'
const CTRL_D = '\u0004'
const ESCAPE = '\u001B'
const DOWN = '\u001B[B'
const BACKSPACE = '\u007F'
const choices = [{ value: 'a', label: 'Alpha' }, { value: 'b', hint: 'the second' }, { value: 'c' }] as const

const questions: Readonly<Record<keyof Prompts, (prompts: Prompts) => Promise<Answer<unknown>>>> = {
  confirm: (prompts) => prompts.confirm({ message: 'Sure?' }),
  text: (prompts) => prompts.text({ message: 'Name?' }),
  select: (prompts) => prompts.select({ message: 'Which?', choices }),
  multiselect: (prompts) => prompts.multiselect({ message: 'Which ones?', choices }),
  password: (prompts) => prompts.password({ message: 'Secret?' }),
}
const kinds = Object.entries(questions)

describe('prompts: answers', () => {
  test.each([
    ['a yes', questions.confirm, ['y', ENTER], true],
    ['a no', questions.confirm, ['n', ENTER], false],
    ['the default of a confirmation is no', questions.confirm, [ENTER], false],
    ['a typed text', questions.text, ['a', 'b', ENTER], 'ab'],
    ['no text', questions.text, [ENTER], ''],
    ['the first choice', questions.select, [ENTER], 'a'],
    ['another choice', questions.select, [DOWN, ENTER], 'b'],
    [
      'letters and the Enter after them take none',
      questions.select,
      ['j', 'o', ENTER, DOWN, DOWN, ENTER],
      'c',
    ],
    ['the number of a choice', questions.select, ['3', ENTER], 'c'],
    ['several choices', questions.multiselect, [' ', DOWN, DOWN, ' ', ENTER], ['a', 'c']],
    ['no choice', questions.multiselect, [ENTER], []],
    ['a password', questions.password, ['p', 'w', ENTER], 'pw'],
  ])('%s', async (_, ask, keys, value) => {
    expect((await converse(ask, keys)).answer).toEqual({ cancelled: false, value })
  })

  test('start with the initial value', async () => {
    const starts = await Promise.all([
      converse((prompts) => prompts.confirm({ message: 'Sure?', initial: true }), [ENTER]),
      converse((prompts) => prompts.text({ message: 'Name?', initial: 'abc' }), [BACKSPACE, ENTER]),
      converse((prompts) => prompts.select({ message: 'Which?', choices, initial: 'c' }), [ENTER]),
      converse(
        (prompts) => prompts.multiselect({ message: 'Which?', choices, initial: ['b', 'c'] }),
        [ENTER],
      ),
    ])
    expect(starts.map(({ answer }) => answer)).toEqual(
      [true, 'ab', 'c', ['b', 'c']].map((value) => ({ cancelled: false, value })),
    )
  })

  test('are asked again until they are valid', async () => {
    const validate = (value: string): string | undefined =>
      value.length < 2 ? 'too \u001B[2Jshort' : undefined
    const { answer, raw } = await converse(
      (prompts) => prompts.text({ message: 'Name?', validate }),
      ['a', ENTER, 'b', ENTER],
    )
    expect([answer, raw.includes('too \\x1b[2Jshort')]).toEqual([{ cancelled: false, value: 'ab' }, true])
  })

  test('a password is never shown', async () => {
    const { raw } = await converse(questions.password, ['q', 'x', 'z', ENTER])
    expect(raw).not.toMatch(/[qxz]/)
  })
})

describe('T10 a text that the person was typing answers no question', () => {
  test.each([
    ['letters do not move, and their Enter takes nothing', questions.select, ['', 'j', 'j', ENTER]],
    ['a word that begins like a yes', questions.confirm, ['', 'y', 'a', 'r', 'n', ENTER]],
    ['pasted lines, one of them a yes', questions.confirm, ['', `maybe${ENTER}y${ENTER}`]],
    ['letters after an arrow key', questions.confirm, ['', DOWN, 'o', 'k', ENTER]],
    ['a yes from before the question', questions.confirm, [`y${ENTER}`]],
    ['the rest of a line from before the question', questions.confirm, ['wh', 'y', ENTER]],
  ])('T10 %s', async (_, ask, [before, ...keys]) => {
    expect((await converse(ask, [...keys, CTRL_C], before)).answer).toEqual({ cancelled: true })
  })
})

describe('prompts: cancelled', () => {
  test.each(kinds)('%s: Ctrl-D cancels', async (_, ask) => {
    expect((await converse(ask, [CTRL_D])).answer).toEqual({ cancelled: true })
  })

  test.each(kinds)('%s: Ctrl-C cancels', async (_, ask) => {
    expect((await converse(ask, [CTRL_C])).answer).toEqual({ cancelled: true })
  })

  test.each(kinds)('%s: Esc cancels', async (_, ask) => {
    expect((await converse(ask, [ESCAPE])).answer).toEqual({ cancelled: true })
  })

  test.each(kinds)('%s: the end of the input cancels', async (_, ask) => {
    const { stdin, stdout } = streams()
    const answer = ask(createPrompts({ stdin, stdout }))
    stdin.end()
    expect(await answer).toEqual({ cancelled: true })
  })

  test('an input that has already ended cancels', async () => {
    const { stdin, stdout } = streams()
    stdin.destroy()
    expect(await createPrompts({ stdin, stdout }).confirm({ message: 'Sure?' })).toEqual({ cancelled: true })
  })

  test('removes all listeners from the input and restores the terminal mode', async () => {
    const { stdin, rawModes } = await converse(questions.confirm, [CTRL_C])
    const listeners = ['keypress', 'end', 'close', 'error'].map((event) => stdin.listenerCount(event))
    expect([listeners, rawModes.at(-1)]).toEqual([[0, 0, 0, 0], false])
  })
})

describe('prompts: without a terminal', () => {
  test.each(kinds)('%s is cancelled at once, and nothing is written', async (_, ask) => {
    const { stdin, stdout, written } = streams()
    const noInput = createPrompts({ stdin: Object.assign(stdin, { isTTY: false }), stdout })
    expect([await ask(noInput), written()]).toEqual([{ cancelled: true }, ''])
  })

  test('an output that is not a terminal is enough to cancel', async () => {
    const { stdin, stdout, written } = streams()
    const prompts = createPrompts({ stdin, stdout: Object.assign(stdout, { isTTY: false }) })
    expect([await prompts.confirm({ message: 'Sure?' }), written()]).toEqual([{ cancelled: true }, ''])
  })
})

describe('T18 prompts escape shown texts', () => {
  const attack = '\u001B]52;c;eA==\u0007\u202E'
  const shown = '\\x1b]52;c;eA==\\x07\\u{202e}'
  const hostile: readonly (readonly [string, (prompts: Prompts) => Promise<Answer<unknown>>])[] = [
    ['the message of confirm', (prompts) => prompts.confirm({ message: attack })],
    ['the message of text', (prompts) => prompts.text({ message: attack })],
    ['the message of select', (prompts) => prompts.select({ message: attack, choices })],
    ['the message of multiselect', (prompts) => prompts.multiselect({ message: attack, choices })],
    ['the message of password', (prompts) => prompts.password({ message: attack })],
    ['an initial text', (prompts) => prompts.text({ message: 'x', initial: attack })],
    ['a label', (prompts) => prompts.select({ message: 'x', choices: [{ value: 'v', label: attack }] })],
    ['a hint', (prompts) => prompts.select({ message: 'x', choices: [{ value: 'v', hint: attack }] })],
    [
      'a value without a label',
      (prompts) => prompts.multiselect({ message: 'x', choices: [{ value: attack }] }),
    ],
  ]

  test.each(hostile)('T18 %s', async (_, ask) => {
    const { raw } = await converse(ask, [ENTER])
    const text = stripVTControlCharacters(raw)
    expect([text.includes(shown), raw.includes('\u001B]52'), raw.includes('\u202E')]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('T18 the answer is the unescaped value', async () => {
    const { answer } = await converse(
      (prompts) => prompts.select({ message: 'x', choices: [{ value: attack }] }),
      [ENTER],
    )
    expect(answer).toEqual({ cancelled: false, value: attack })
  })
})

describe('prompts: in a real terminal', () => {
  let directory = ''
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'plugboard-prompt-'))
    const entry = join(directory, 'entry.js')
    await writeFile(entry, script(fileURLToPath(new URL('terminal-prompts.ts', import.meta.url))))
    const bundle = await rolldown({ input: entry, platform: 'node' })
    await bundle.write({ dir: join(directory, 'out'), format: 'esm', entryFileNames: 'main.mjs' })
    await bundle.close()
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  test.each([
    ['y and Enter answer', `y${ENTER}`, '{"cancelled":false,"value":true}'],
    ['Ctrl-C cancels, and the process goes on', CTRL_C, '{"cancelled":true}'],
    ['Esc cancels, and the process goes on', ESCAPE, '{"cancelled":true}'],
  ])('%s', async (_, key, answer) => {
    const { text, exitCode } = await runInTerminal(join(directory, 'out', 'main.mjs'), key)
    expect([text.includes(`answer ${answer}`), exitCode]).toEqual([true, 7])
  })
})

function script(module: string): string {
  return `import { createPrompts } from ${JSON.stringify(module)}
const answer = await createPrompts(process).confirm({ message: 'Sure?' })
console.log('answer ' + JSON.stringify(answer))
process.exitCode = 7
`
}

function runInTerminal(file: string, key: string): Promise<{ text: string; exitCode: number }> {
  return new Promise((resolve) => {
    const terminal = spawn(process.execPath, [file], { cols: 80, rows: 24 })
    let text = ''
    let isAnswered = false
    terminal.onData((data) => {
      text += data
      if (isAnswered || !text.includes('Sure?')) return
      isAnswered = true
      terminal.write(key)
    })
    terminal.onExit(({ exitCode }) => resolve({ text, exitCode }))
  })
}

function streams() {
  const chunks: string[] = []
  const rawModes: boolean[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (on: boolean) => void rawModes.push(on),
  })
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns: 200, rows: 40 })
  stdout.on('data', (chunk) => chunks.push(String(chunk)))
  return { stdin, stdout, rawModes, written: () => chunks.join('') }
}

/** Presses the first key when the question is on the screen, and each further one after the key before it was seen. */
async function converse(
  ask: (prompts: Prompts) => Promise<Answer<unknown>>,
  keys: readonly string[],
  before = '',
) {
  const { stdin, stdout, rawModes, written } = streams()
  if (before !== '') stdin.write(before)
  const answer = ask(createPrompts({ stdin, stdout }))
  const left = [...keys]
  const press = (): void => {
    const key = left.shift()
    if (key !== undefined) stdin.write(key)
  }
  const pressNext = (): void => void setImmediate(press)
  stdout.once('data', () => {
    stdin.on('data', pressNext)
    pressNext()
  })
  const given = await answer
  stdin.off('data', pressNext)
  return { answer: given, raw: written(), stdin, rawModes }
}
