import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Redactor } from '../../model/secrets/redactor.ts'
import { nodePlatform } from '../../platform/node/node-platform.ts'
import { FileError } from '../../platform/platform.ts'
import type { Files } from '../../platform/platform.ts'
import { createFakeClock } from '../../testing/fake-clock.ts'
import { memoryFiles } from '../../testing/memory-files.ts'
import { createLogFile, followLog, readLog } from './log-file.ts'
import type { LogLine } from './log-file.ts'

const path = '/state/logs/fs-1.log'
const time = '2026-03-01T12:00:00.000Z'

function createLog(over: Partial<Files> = {}, redact = (text: string) => text) {
  const memory = memoryFiles({})
  const clock = createFakeClock(Date.parse(time))
  const files: Files = { ...memory, ...over }
  return { memory, clock, files, log: createLogFile({ path, files, clock, redact, hostPid: 42 }) }
}

describe('log file: writing', () => {
  test('each line has its time and its host, and lines are written in batches', async () => {
    const appended: string[] = []
    const { log, clock } = createLog({ append: async (_path, text) => void appended.push(text) })
    log.line('one')
    await clock.advance(50)
    log.line('two')
    expect(appended).toEqual([])
    await clock.advance(50)
    log.line('three')
    expect(appended).toEqual([`${time} 42 one\n2026-03-01T12:00:00.050Z 42 two\n`])
    await log.close()
    expect(appended.slice(1)).toEqual(['2026-03-01T12:00:00.100Z 42 three\n'])
    expect(clock.sleeping).toBe(0)
  })

  test('T35 no secret is written, not even one that spans several lines', async () => {
    const redactor = new Redactor()
    redactor.register('first-half\nsecond-half')
    redactor.register('hunter2hunter2')
    const { log, memory } = createLog({}, (text) => redactor.redact(text))
    for (const line of ['a', 'first-half', 'second-half', 'key=hunter2hunter2']) log.line(line)
    await log.close()
    expect(memory.texts.get(path)).toBe(
      ['a', '•••', 'key=•••'].map((text) => `${time} 42 ${text}\n`).join(''),
    )
  })

  test('a line that comes while the log closes is written', async () => {
    const { log, memory } = createLog({
      append: async (at, text) => {
        if (!text.includes('last')) log.line('last')
        memory.texts.set(at, `${memory.texts.get(at) ?? ''}${text}`)
      },
    })
    log.line('first')
    await log.close()
    expect(memory.texts.get(path)).toBe(`${time} 42 first\n${time} 42 last\n`)
  })

  test('control characters are escaped, and no line can fake another time or host', async () => {
    const { log, memory } = createLog()
    log.line('\u001b[31mred\r\n2026 1 forged\u009b\ttab')
    await log.close()
    const lines = ['\\x1b[31mred\\x0d', '2026 1 forged\\x9b\ttab']
    expect(memory.texts.get(path)).toBe(lines.map((line) => `${time} 42 ${line}\n`).join(''))
  })

  test('the file is rotated at 1 MiB, and the previous one is kept', async () => {
    const { log, memory, clock } = createLog()
    memory.texts.set(path, 'x'.repeat(1024 * 1024))
    memory.texts.set(`${path}.1`, 'older')
    log.line('new')
    await clock.advance(100)
    await log.close()
    expect(memory.texts.get(path)).toBe(`${time} 42 new\n`)
    expect(memory.texts.get(`${path}.1`)?.length).toBe(1024 * 1024)
  })

  test('FI-27 on a disk that does not respond, lines are dropped and counted without blocking', async () => {
    let answer = () => {}
    const hanging = new Promise<void>((resolve) => (answer = resolve))
    const memory = memoryFiles({})
    const { log, clock, files } = createLog({
      ...memory,
      append: async (file, text) => {
        await hanging
        return memory.append(file, text)
      },
    })
    log.line('first')
    await clock.advance(100)
    for (let index = 0; index < 1000; index++) log.line('x'.repeat(1024))
    expect(log.dropped).toBe(1000 - 256)
    answer()
    await log.close()
    const lines = await readLog(path, { files, tail: 1000 })
    expect(lines.length).toBe(1 + 1 + 256)
    expect(lines.slice(0, 2).map(({ text }) => text)).toEqual(['first', '[744 lines were dropped]'])
  })

  test('FI-73 on a full disk, lines are dropped and counted, and the loss is noted when there is room again', async () => {
    let isFull = true
    const memory = memoryFiles({})
    const { log, clock, files } = createLog({
      ...memory,
      append: async (file, text) => {
        if (isFull) throw new FileError('no-space', 'no space left on the device')
        return memory.append(file, text)
      },
    })
    log.line('one')
    log.line('two')
    await clock.advance(100)
    expect(log.dropped).toBe(2)
    log.line('three')
    await clock.advance(100)
    isFull = false
    log.line('four')
    await log.close()
    expect((await readLog(path, { files, tail: 10 })).map(({ text }) => text)).toEqual([
      '[3 lines were dropped]',
      'four',
    ])
    expect(log.dropped).toBe(3)
  })

  test('on a real disk the file is private to its owner', async () => {
    const root = mkdtempSync(join(tmpdir(), 'log-'))
    const { files, clock } = nodePlatform()
    const file = join(root, 'state/logs/fs-1.log')
    const log = createLogFile({ path: file, files, clock, redact: (text) => text, hostPid: 7 })
    log.line('hello')
    await log.close()
    expect(readFileSync(file, 'utf8')).toMatch(/^\d{4}-.*Z 7 hello\n$/)
    expect([statSync(dirname(file)).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600])
    rmSync(root, { recursive: true })
  })
})

describe('log file: reading', () => {
  const line = (text: string): LogLine => ({ at: time, host: 42, text })
  const textOf = (...texts: readonly string[]) => texts.map((text) => `${time} 42 ${text}\n`).join('')

  test('returns the last lines, also from the rotated file', async () => {
    const files = memoryFiles({ [`${path}.1`]: textOf('a', 'b'), [path]: textOf('c', 'd e') })
    expect(await readLog(path, { files, tail: 3 })).toEqual([line('b'), line('c'), line('d e')])
    expect(await readLog(path, { files, tail: 1 })).toEqual([line('d e')])
    expect(await readLog(path, { files, tail: 0 })).toEqual([])
  })

  test('returns nothing if there is no log', async () => {
    expect(await readLog(path, { files: memoryFiles({}), tail: 5 })).toEqual([])
  })

  test('followLog gives the last lines, then each new line once across a rotation, until it is aborted', async () => {
    const files = memoryFiles({ [path]: textOf('a', 'b') })
    const clock = createFakeClock()
    const stop = new AbortController()
    const heard: string[] = []
    const following = followLog(path, ({ text }) => heard.push(text), {
      files,
      clock,
      signal: stop.signal,
      tail: 1,
    })
    await clock.advance(1)
    expect(heard).toEqual(['b'])
    await files.append(path, textOf('c'))
    await files.append(path, `${time} 42 half`)
    await clock.advance(250)
    expect(heard).toEqual(['b', 'c'])
    await files.append(path, ' done\n')
    await files.append(path, textOf('last of this file'))
    await files.move(path, `${path}.1`)
    await files.append(path, textOf('next'))
    await clock.advance(500)
    expect(heard).toEqual(['b', 'c', 'half done', 'last of this file', 'next'])
    stop.abort()
    await following
    expect(clock.sleeping).toBe(0)
  })

  test('followLog on a missing file gives its first line', async () => {
    const files = memoryFiles({})
    const clock = createFakeClock()
    const stop = new AbortController()
    const heard: string[] = []
    const following = followLog(path, ({ text }) => heard.push(text), { files, clock, signal: stop.signal })
    await clock.advance(300)
    await files.append(path, textOf('first'))
    await clock.advance(300)
    expect(heard).toEqual(['first'])
    stop.abort()
    await following
  })
})
