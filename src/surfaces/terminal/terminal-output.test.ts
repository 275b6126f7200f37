import { Writable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { createOutput, shortPath } from './terminal-output.ts'
import type { OutputOptions, TerminalStream } from './terminal-output.ts'

const ESC = '\u001B'

describe('output: streams', () => {
  test('results go to stdout, everything else to stderr', () => {
    const { output, read } = open()
    output.result({ a: 1 }, () => 'a is 1')
    output.note('a note')
    output.warn('a warning')
    output.error('an error')
    expect(read()).toEqual({ stdout: 'a is 1\n', stderr: 'a note\nwarning: a warning\nerror: an error\n' })
  })

  test('quiet drops notes, warnings and progress, and keeps errors', () => {
    const { output, read } = open({ quiet: true, stderr: sink({ isTTY: true }) })
    output.note('a note')
    output.progress('working')
    output.warn('a warning')
    output.error('an error')
    output.text(() => 'r')
    expect(read()).toEqual({
      stdout: 'r\n',
      stderr: `${ESC}[31merror: ${ESC}[39man error\n`,
    })
  })

  test('json: a result is written as a document with its version, not drawn', () => {
    const { output, read } = open({ json: 'document' })
    output.result({ servers: ['a'] }, () => {
      throw new Error('drawn')
    })
    output.note('a note')
    expect(read()).toEqual({
      stdout: '{\n  "version": 1,\n  "servers": [\n    "a"\n  ]\n}\n',
      stderr: 'a note\n',
    })
  })

  test('json lines: one object per line, the first with the version', () => {
    const { output, read } = open({ json: 'lines' })
    for (const text of ['one', 'two']) output.result({ text }, () => '')
    expect(read().stdout).toBe('{"version":1,"text":"one"}\n{"text":"two"}\n')
  })
})

describe('output: a note wider than the terminal', () => {
  const long = 'one two three four five six seven eight nine ten'

  test('is wrapped between words, with its colors and nothing cut', () => {
    const { output, read } = open({ stderr: sink({ isTTY: true, columns: 20 }) })
    output.warn(long)
    expect(read().stderr).toBe(
      `${ESC}[33mwarning: ${ESC}[39mone two\nthree four five six\nseven eight nine ten\n`,
    )
  })

  test('is wrapped inside a word that is wider than a line', () => {
    const { output, read } = open({ stderr: sink({ isTTY: true, columns: 4 }), env: { NO_COLOR: '1' } })
    output.note('ab 日本語cdef g')
    expect(read().stderr).toBe('ab\n日本\n語cd\nef g\n')
  })

  test('stays one line in a file; a text with line ends is not wrapped', () => {
    const file = open()
    file.output.note(long)
    expect(file.read().stderr).toBe(`${long}\n`)
    const terminal = open({ stderr: sink({ isTTY: true, columns: 20 }) })
    terminal.output.note(`${long}\n  drawn`)
    expect(terminal.read().stderr).toBe(`${long}\n  drawn\n`)
  })
})

describe('output: canvas', () => {
  test('of a terminal has its width and colors', () => {
    const { output, read } = open({ stdout: sink({ isTTY: true, columns: 120 }) })
    output.text(({ style, width }) => `${style.red('x')} ${width}`)
    expect(read().stdout).toBe(`${ESC}[31mx${ESC}[39m 120\n`)
  })

  test('of a file has neither', () => {
    const { output, read } = open()
    output.text(({ style, width }) => `${style.red('x')} ${width}`)
    expect(read().stdout).toBe('x undefined\n')
  })

  test('of a terminal without a known width has 80 columns', () => {
    const { output } = open({ stderr: sink({ isTTY: true, columns: 0 }) })
    expect([output.notes.width, output.notes.style.enabled]).toEqual([80, true])
  })

  test('follows the terminal when it is resized', () => {
    const stdout = sink({ isTTY: true, columns: 80 })
    const { output, read } = open({ stdout })
    output.text(({ width }) => String(width))
    Object.assign(stdout, { columns: 40 })
    output.text(({ width }) => String(width))
    expect(read().stdout).toBe('80\n40\n')
  })

  test('honors NO_COLOR', () => {
    const { output, read } = open({ stdout: sink({ isTTY: true }), env: { NO_COLOR: '1' } })
    output.text(({ style }) => style.red('x'))
    expect(read().stdout).toBe('x\n')
  })
})

describe('T18 output escapes unescaped text', () => {
  const attack = `${ESC}]52;c;eA==\u0007 ${ESC}[8m\u202E\r`
  const shown = '\\x1b]52;c;eA==\\x07 \\x1b[8m\\u{202e}\\r'

  test.each([
    ['a result', (out: ReturnType<typeof open>) => out.output.text(() => attack), `${shown}\n`, ''],
    ['a note', (out: ReturnType<typeof open>) => out.output.note(attack), '', `${shown}\n`],
    ['a warning', (out: ReturnType<typeof open>) => out.output.warn(attack), '', `warning: ${shown}\n`],
    ['an error', (out: ReturnType<typeof open>) => out.output.error(attack), '', `error: ${shown}\n`],
  ])('T18 in %s', (_, write, stdout, stderr) => {
    const out = open()
    write(out)
    expect(out.read()).toEqual({ stdout, stderr })
  })

  test('T18 without colors even color sequences are escaped', () => {
    const { output, read } = open()
    output.text(() => `${ESC}[31mred`)
    expect(read().stdout).toBe('\\x1b[31mred\n')
  })

  test('T18 in JSON as \\uXXXX, in keys and values; it parses to the same value', () => {
    const value = { '\u202Ekey': '\u009B2J\u007F\u{E0041}\u200B' }
    const { output, read } = open({ json: 'document' })
    output.result(value, () => '')
    expect(read().stdout).toBe(
      '{\n  "version": 1,\n  "\\u202ekey": "\\u009b2J\\u007f\\udb40\\udc41\\u200b"\n}\n',
    )
    expect(JSON.parse(read().stdout)).toEqual({ version: 1, ...value })
  })
})

describe('output: progress', () => {
  const clear = `\r${ESC}[2K`
  const env = { NO_COLOR: '1' }

  test('replaces its own line, and is cleared before a note', () => {
    const { output, read } = open({ stderr: sink({ isTTY: true }), env })
    output.progress('one')
    output.progress('two')
    output.note('done')
    output.note('really')
    expect(read().stderr).toBe(`${clear}one${clear}two${clear}done\nreally\n`)
  })

  test('is cleared before a result', () => {
    const { output, read } = open({ stderr: sink({ isTTY: true }), env })
    output.progress('one')
    output.text(() => 'r')
    expect(read()).toEqual({ stdout: 'r\n', stderr: `${clear}one${clear}` })
  })

  test('is cleared by a flush', async () => {
    const { output, read } = open({ stderr: sink({ isTTY: true }), env })
    output.progress('one')
    await output.flush()
    expect(read().stderr).toBe(`${clear}one${clear}`)
  })

  test('stays on one line of the terminal', () => {
    const { output, read } = open({ stderr: sink({ isTTY: true, columns: 10 }), env })
    output.progress('a\nlong line of text')
    expect(read().stderr).toBe(`${clear}a\\nlong …`)
  })

  test.each([
    ['without a terminal', sink(), {}],
    ['in a dumb terminal', sink({ isTTY: true }), { TERM: 'dumb' }],
  ])('is not shown %s', (_, stderr, env) => {
    const { output, read } = open({ stderr, env })
    output.progress('one')
    expect(read().stderr).toBe('')
  })
})

describe('output: a stream that fails', () => {
  test.each(['EPIPE', 'EOF'])(
    'stdout without a reader (%s): aborts `closed` and writes nothing more',
    async (code) => {
      const stdout = failing(code)
      const { output, read } = open({ stdout })
      output.text(() => 'one')
      await output.flush()
      output.text(() => 'two')
      await output.flush()
      expect([output.closed.aborted, stdout.tries, read().stderr]).toEqual([true, 1, ''])
    },
  )

  test('stdout that was destroyed: aborts `closed`', async () => {
    const stdout = sink()
    stdout.destroy()
    const { output } = open({ stdout })
    output.text(() => 'one')
    await output.flush()
    expect(output.closed.aborted).toBe(true)
  })

  test('stdout that fails with another error: flush rejects', async () => {
    const { output } = open({ stdout: failing('ENOSPC') })
    output.text(() => 'one')
    await expect(output.flush()).rejects.toMatchObject({ code: 'ENOSPC' })
    expect(output.closed.aborted).toBe(false)
  })

  test('stderr that fails: results are still written', async () => {
    const { output, read } = open({ stderr: failing('EPIPE') })
    output.note('one')
    output.text(() => 'two')
    await output.flush()
    expect([output.closed.aborted, read().stdout]).toEqual([false, 'two\n'])
  })

  test('T10 flush waits for a slow reader', async () => {
    const slow: string[] = []
    const stdout = new Writable({
      write(chunk, _, done) {
        setImmediate(() => {
          slow.push(String(chunk))
          done()
        })
      },
    })
    const { output } = open({ stdout })
    for (const text of ['a', 'b', 'c']) output.text(() => text)
    await output.flush()
    expect(slow).toEqual(['a\n', 'b\n', 'c\n'])
  })
})

describe('output: shown paths', () => {
  const here = { cwd: '/home/dana/shop', home: '/home/dana' }

  test.each([
    ['/home/dana/shop/.mcp.json', '.mcp.json'],
    ['/home/dana/shop/a/b.json', 'a/b.json'],
    ['/home/dana/shopping/x.json', '~/shopping/x.json'],
    ['/home/dana/.cursor/mcp.json', '~/.cursor/mcp.json'],
    ['/home/danae/x.json', '/home/danae/x.json'],
    ['/etc/plugboard/managed-mcp.json', '/etc/plugboard/managed-mcp.json'],
    ['/home/dana', '/home/dana'],
  ])('%s is written as %s', (file, short) => {
    expect(shortPath(file, here)).toBe(short)
  })

  test('a path stays absolute if the working directory is the root and there is no home', () => {
    expect(shortPath('/etc/x.json', { cwd: '/', home: '/' })).toBe('/etc/x.json')
    expect(shortPath('/home/dana/x.json', { cwd: '/tmp' })).toBe('/home/dana/x.json')
  })
})

interface Sink extends TerminalStream {
  readonly chunks: string[]
}

function sink(terminal: { readonly isTTY?: boolean; readonly columns?: number } = {}): Sink {
  const chunks: string[] = []
  const stream = new Writable({
    write(chunk, _, done) {
      chunks.push(String(chunk))
      done()
    },
  })
  return Object.assign(stream, terminal, { chunks })
}

function failing(code: string): TerminalStream & { tries: number; readonly chunks: string[] } {
  const stream = Object.assign(
    new Writable({
      write(_chunk, _, done) {
        stream.tries++
        done(Object.assign(new Error(code), { code }))
      },
    }),
    { tries: 0, chunks: [] },
  )
  return stream
}

function open(options: Partial<OutputOptions> = {}) {
  const stdout = options.stdout ?? sink()
  const stderr = options.stderr ?? sink()
  const output = createOutput({ env: {}, ...options, stdout, stderr })
  const textOf = (stream: TerminalStream): string =>
    'chunks' in stream ? (stream as Sink).chunks.join('') : ''
  return { output, read: () => ({ stdout: textOf(stdout), stderr: textOf(stderr) }) }
}
