import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createKeyboard } from './keyboard.ts'
import { createLineEditor } from './line-editor.ts'
import type { LineOptions } from './line-editor.ts'
import { createPlainPrompts } from './plain-prompts.ts'
import { createPrompts } from './terminal-prompts.ts'

// Node reads this variable itself: with TERM=dumb it edits no line.
beforeEach(() => void vi.stubEnv('TERM', 'xterm'))
afterEach(() => void vi.unstubAllEnvs())

const [ctrlC, ctrlD, ctrlR] = ['\u0003', '\u0004', '\u0012']

/** A fake terminal with access to its input and output. */
function open() {
  const modes: boolean[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => modes.push(mode),
  })
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  let shown = ''
  output.setEncoding('utf8').on('data', (chunk: string) => (shown += chunk))
  let cancels = 0
  let leaves = 0
  let ends = 0
  const keyboard = createKeyboard({
    stdin,
    onCancel: () => cancels++,
    onLeave: () => leaves++,
    onEnd: () => ends++,
  })
  const press = async (text: string): Promise<void> => {
    stdin.write(text)
    await new Promise(setImmediate)
  }
  return {
    stdin,
    output,
    keyboard,
    press,
    modes,
    shown: () => shown,
    counts: () => ({ cancels, leaves, ends }),
  }
}

const options: LineOptions = {
  mark: '> ',
  status: () => '',
  history: ['find pear', 'find apple', 'list'],
  complete: async (line) => [['apple ', 'pear '].filter((word) => word.startsWith(line)), line],
}

test('keyboard: input without a reader is kept for the next line; Ctrl-C discards it and cancels', async () => {
  const { keyboard, press, output, counts, modes } = open()
  await press('lost')
  await press(`${ctrlC}kept`)
  expect(counts()).toEqual({ cancels: 1, leaves: 0, ends: 0 })
  const editor = createLineEditor({ keyboard, output })
  const typed = editor.read(options)
  await press(' line\rsecond\rthird')
  expect(await typed).toEqual({ kind: 'line', text: 'kept line' })
  expect(await editor.read(options)).toEqual({ kind: 'line', text: 'second' })
  const last = editor.read(options)
  await press('\n')
  expect(await last).toEqual({ kind: 'line', text: 'third' })
  keyboard[Symbol.dispose]()
  expect(modes).toEqual([true, false])
})

test('T10 keyboard: a text goes on through a question, answers it not, and is in the next line, not sent', async () => {
  const { keyboard, press, output } = open()
  await press('wh')
  const stdin = keyboard.open()
  const isDrawn = new Promise((resolve) => output.once('data', resolve))
  const answer = createPrompts({ stdin, stdout: output }).confirm({ message: 'Trust it?' })
  await isDrawn
  await press('y')
  await press('\r')
  await press('n')
  await press('ot\r')
  await press(ctrlC)
  expect(await answer).toEqual({ cancelled: true })
  const typed = createLineEditor({ keyboard, output }).read(options)
  await press('!\r')
  expect(await typed).toEqual({ kind: 'line', text: 'why not !' })
  keyboard[Symbol.dispose]()
})

test('keyboard: Ctrl-D without a reader leaves at once, unless input is pending; the next line receives it too', async () => {
  const { keyboard, press, output, counts } = open()
  await press(ctrlD)
  expect(counts()).toEqual({ cancels: 0, leaves: 1, ends: 0 })
  const editor = createLineEditor({ keyboard, output })
  expect(await editor.read(options)).toEqual({ kind: 'left' })
  await press('last\r')
  await press(ctrlD)
  expect(counts()).toEqual({ cancels: 0, leaves: 1, ends: 0 })
  expect(await editor.read(options)).toEqual({ kind: 'line', text: 'last' })
  expect(await editor.read(options)).toEqual({ kind: 'left' })
  keyboard[Symbol.dispose]()
})

test('keyboard: a question receives only keys pressed while it is asked (T20)', async () => {
  const { keyboard, press, output, counts } = open()
  await press('yes\r')
  const prompts = createPlainPrompts({ stdin: keyboard.open(), stdout: output })
  const answer = prompts.confirm({ message: 'Sure?' })
  await press('n\r')
  expect(await answer).toEqual({ cancelled: false, value: false })
  const cancelled = prompts.text({ message: 'Name' })
  await press(ctrlC)
  expect(await cancelled).toEqual({ cancelled: true })
  expect(counts().cancels).toBe(0)
})

test('keyboard: closing the terminal ends the line, the question and the shell', async () => {
  const { keyboard, stdin, output, counts } = open()
  const keys = keyboard.open()
  const answer = createPlainPrompts({ stdin: keys, stdout: output }).text({ message: 'Name' })
  stdin.end()
  expect(await answer).toEqual({ cancelled: true })
  expect(counts().ends).toBe(1)
  expect(keyboard.open().destroyed).toBe(true)
})

test('line editor: Ctrl-C, Ctrl-D and an interruption have different outcomes', async () => {
  const { keyboard, press, output } = open()
  const editor = createLineEditor({ keyboard, output })
  const cancelled = editor.read(options)
  await press(`some text${ctrlC}`)
  expect(await cancelled).toEqual({ kind: 'cancelled', wasEmpty: false })
  const empty = editor.read(options)
  await press(ctrlC)
  expect(await empty).toEqual({ kind: 'cancelled', wasEmpty: true })
  const interrupted = editor.read(options)
  await press('half')
  editor.interrupt()
  expect(await interrupted).toEqual({ kind: 'interrupted', text: 'half' })
  const again = editor.read({ ...options, initial: 'half' })
  await press(' done\r')
  expect(await again).toEqual({ kind: 'line', text: 'half done' })
  const left = editor.read(options)
  await press(ctrlD)
  expect(await left).toEqual({ kind: 'left' })
  expect(editor.isReading).toBe(false)
})

test('line editor: Ctrl-R finds a line, then older ones, and can be cancelled', async () => {
  const { keyboard, press, output } = open()
  const editor = createLineEditor({ keyboard, output })
  const found = editor.read(options)
  await press(`${ctrlR}find`)
  await press(ctrlR)
  await press('\r')
  expect(await found).toEqual({ kind: 'line', text: 'find apple' })
  const dropped = editor.read(options)
  await press(`mine${ctrlR}pear`)
  await press('\u007F\u007F')
  await press(ctrlC)
  await press('\r')
  expect(await dropped).toEqual({ kind: 'line', text: 'mine' })
})

test('line editor: printAbove prints above the line, and typing continues', async () => {
  const { keyboard, press, output, shown } = open()
  const editor = createLineEditor({ keyboard, output })
  let status = 'one'
  const typed = editor.read({ ...options, status: () => status })
  await press('half')
  editor.printAbove('Something happened.')
  status = 'two'
  editor.refresh()
  await press('\t\r')
  expect(await typed).toEqual({ kind: 'line', text: 'half' })
  expect(shown()).toContain('Something happened.\n')
  expect(shown()).toContain('two\n> half')
})

test('line editor: a late completion is dropped if the line changed', async () => {
  const { keyboard, press, output } = open()
  const editor = createLineEditor({ keyboard, output })
  let found = (_words: readonly string[]): void => undefined
  const words = new Promise<readonly string[]>((resolve) => (found = resolve))
  const typed = editor.read({ ...options, complete: async (line) => [await words, line] })
  await press('app\t')
  await press(' q=1')
  found(['apple '])
  await press('\r')
  expect(await typed).toEqual({ kind: 'line', text: 'app q=1' })
})

test('plain prompts: choices have numbers, Enter takes the default, an invalid answer is asked again', async () => {
  const { keyboard, press, output, shown } = open()
  const prompts = createPlainPrompts({ stdin: keyboard.open(), stdout: output })
  const choices = [
    { value: 'a', label: 'Apple' },
    { value: 'b', hint: 'a fruit' },
  ] as const
  const one = prompts.select({ message: 'Which?', choices, initial: 'b' })
  await press('x\r')
  await press('\r')
  expect(await one).toEqual({ cancelled: false, value: 'b' })
  const several = prompts.multiselect({ message: 'Which?', choices, required: true })
  await press('\r')
  await press('1,2\r')
  expect(await several).toEqual({ cancelled: false, value: ['a', 'b'] })
  const text = prompts.text({
    message: 'Name',
    initial: 'Ann',
    validate: (name) => (name === 'Bo' ? 'Not Bo.' : undefined),
  })
  await press('Bo\r')
  await press('\r')
  expect(await text).toEqual({ cancelled: false, value: 'Ann' })
  const secret = prompts.password({ message: 'Word' })
  await press('hush\u007F\u007Fsh\r')
  expect(await secret).toEqual({ cancelled: false, value: 'hush' })
  const yes = prompts.confirm({ message: 'Go?', initial: true })
  await press('maybe\r')
  await press('Y\r')
  expect(await yes).toEqual({ cancelled: false, value: true })
  expect(shown()).not.toContain('hush')
  expect(shown()).toContain('  1) Apple\n  2) b (a fruit)\n')
})
