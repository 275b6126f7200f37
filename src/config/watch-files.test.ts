import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { nodePlatform } from '../platform/node/node-platform.ts'
import type { Files, Platform } from '../platform/platform.ts'
import { parseText } from '../sources/formats/parse-text.ts'
import { createFakeClock } from '../testing/fake-clock.ts'
import { memoryFiles } from '../testing/memory-files.ts'
import { updateLastGood } from './last-good.ts'
import { watchFiles } from './watch-files.ts'
import type { FileChange, FileWatch } from './watch-files.ts'

const text = (path: string, content: string): FileChange => ({ path, state: { kind: 'text', text: content } })
const absent = (path: string): FileChange => ({ path, state: { kind: 'absent' } })

/** Records reported changes and waits for more. */
function createLog() {
  const events: (readonly FileChange[])[] = []
  let wake = () => {}
  return {
    events,
    onChange: (changes: readonly FileChange[]) => {
      events.push(changes)
      wake()
    },
    async until(count: number) {
      while (events.length < count) await new Promise<void>((resolve) => (wake = resolve))
      return events
    },
  }
}

describe('FI-75 watchFiles: real files', () => {
  let folder: string
  let file: string
  /** Changed at the end of each test: its report proves that no earlier one is outstanding. */
  let last: string
  let log: ReturnType<typeof createLog>
  let watch: FileWatch | undefined

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'plugboard-watch-'))
    file = join(folder, 'project/mcp.json')
    last = join(folder, 'last/mcp.json')
    put(file, 'old')
    put(last, 'old')
    log = createLog()
  })
  afterEach(() => {
    watch?.[Symbol.dispose]()
    rmSync(folder, { recursive: true, force: true })
  })

  test('an edit in place is one event', async () => {
    await start(file)
    writeFileSync(file, 'new')
    expect(await reported(1)).toEqual([[text(file, 'new')]])
  })

  test('a rename over the file is one event', async () => {
    await start(file)
    writeFileSync(`${file}~`, 'new')
    renameSync(`${file}~`, file)
    expect(await reported(1)).toEqual([[text(file, 'new')]])
  })

  test('a second rename over the file is reported too', async () => {
    await start(file)
    for (const content of ['one', 'two']) {
      writeFileSync(`${file}~`, content)
      renameSync(`${file}~`, file)
      await log.until(content === 'one' ? 1 : 2)
    }
    expect(await reported(2)).toEqual([[text(file, 'one')], [text(file, 'two')]])
  })

  test('a deletion is one event', async () => {
    await start(file)
    rmSync(file)
    expect(await reported(1)).toEqual([[absent(file)]])
  })

  test('a deletion followed by a new file at once is one event with the new text', async () => {
    await start(file)
    rmSync(file)
    writeFileSync(file, 'new')
    expect(await reported(1)).toEqual([[text(file, 'new')]])
  })

  test('a link that is changed to another file is one event', async () => {
    const link = join(folder, 'project/linked.json')
    put(join(folder, 'a/mcp.json'), 'from a')
    put(join(folder, 'b/mcp.json'), 'from b')
    symlinkSync(join(folder, 'a/mcp.json'), link)
    await start(link)
    symlinkSync(join(folder, 'b/mcp.json'), `${link}~`)
    renameSync(`${link}~`, link)
    await log.until(1)
    writeFileSync(join(folder, 'b/mcp.json'), 'from b, edited')
    await log.until(2)
    expect(await reported(2)).toEqual([[text(link, 'from b')], [text(link, 'from b, edited')]])
  })

  test('an edit of the target of a link is one event', async () => {
    const link = join(folder, 'project/linked.json')
    put(join(folder, 'a/mcp.json'), 'from a')
    symlinkSync(join(folder, 'a/mcp.json'), link)
    await start(link)
    writeFileSync(join(folder, 'a/mcp.json'), 'new')
    expect(await reported(1)).toEqual([[text(link, 'new')]])
  })

  test('a file in a new directory is reported', async () => {
    const early = join(folder, 'not/yet/there/mcp.json')
    await start(early)
    put(early, 'new')
    expect(await reported(1)).toEqual([[text(early, 'new')]])
  })

  test('a directory that is deleted and created again is still watched', async () => {
    await start(file)
    rmSync(dirname(file), { recursive: true })
    await log.until(1)
    put(file, 'new')
    await log.until(2)
    expect(await reported(2)).toEqual([[absent(file)], [text(file, 'new')]])
  })

  test('an unreadable file is reported as a problem', async () => {
    await start(file)
    rmSync(file)
    mkdirSync(file)
    const [changes] = await log.until(1)
    const problem = { kind: 'problem', problem: 'not-a-file', message: expect.stringContaining(file) }
    expect(changes).toEqual([{ path: file, state: problem }])
  })

  test('FI-70 a half-written file is not reported until it is complete', async () => {
    const parse = (_path: string, content: string) => parseText(content, 'json')
    const good = await updateLastGood(new Map(), [text(file, '{"mcpServers": {}}')], parse)
    await start(file)
    writeFileSync(file, '{"mcpServers": {"gh": ')
    const [half = []] = await log.until(1)
    const during = await updateLastGood(good, half, parse)
    writeFileSync(file, '{"mcpServers": {"gh": {}}}')
    const [, whole = []] = await log.until(2)
    const after = await updateLastGood(during, whole, parse)
    expect(during.get(file)).toMatchObject({ text: '{"mcpServers": {}}', problem: { code: 'parse-error' } })
    expect(after.get(file)).toEqual({ text: '{"mcpServers": {"gh": {}}}' })
  })

  test('files that change together are one event', async () => {
    await start(file)
    writeFileSync(file, 'new')
    writeFileSync(last, 'new')
    expect(await log.until(1)).toEqual([[text(file, 'new'), text(last, 'new')]])
  })

  test('touching a file or writing the same text is not an event', async () => {
    await start(file)
    writeFileSync(file, 'old')
    expect(await reported(0)).toEqual([])
  })

  test('a watch does not keep the process alive and leaves nothing behind', async () => {
    const busy = () =>
      process.getActiveResourcesInfo().filter((name) => /^(Timeout|FSEvent)/.test(name)).length
    const before = busy()
    await start(file)
    expect(busy()).toBe(before)
    watch?.[Symbol.dispose]()
    watch?.[Symbol.dispose]()
    expect(busy()).toBe(before)
  })

  async function start(path: string): Promise<void> {
    watch = watchFiles({
      watched: async () => ({ paths: [path, last] }),
      platform: nodePlatform(),
      onChange: log.onChange,
    })
    await watch.ready
  }

  /** Waits for so many reports, and returns them with any unexpected ones that came before a later change of another file. */
  async function reported(count: number): Promise<readonly (readonly FileChange[])[]> {
    await log.until(count)
    writeFileSync(last, 'new')
    const isLast = () => log.events.at(-1)?.some(({ path }) => path === last)
    while (!isLast()) await log.until(log.events.length + 1)
    return log.events.slice(0, -1)
  }
})

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

describe('watchFiles: fake clock', () => {
  const path = '/project/mcp.json'

  test('FI-75 a file system without change events is polled every two seconds', async () => {
    const { clock, log, files } = await startFake({ silent: true })
    files.texts.set(path, 'new')
    await clock.advance(1999)
    expect(log.events).toEqual([])
    await clock.advance(1 + 100)
    expect(log.events).toEqual([[text(path, 'new')]])
  })

  test('a change event is handled before the next poll', async () => {
    const { clock, log, files } = await startFake()
    await files.replace(path, 'new')
    await clock.advance(200)
    expect(log.events).toEqual([[text(path, 'new')]])
  })

  test('FI-70 a text is reported after two equal readings 100 ms apart', async () => {
    const { clock, log, files } = await startFake()
    await files.replace(path, 'n')
    for (const written of ['ne', 'new', 'new!']) {
      await clock.advance(100)
      await files.replace(path, written)
    }
    expect(log.events).toEqual([])
    await clock.advance(300)
    expect(log.events).toEqual([[text(path, 'new!')]])
  })

  test('a text that is restored before it settles is not an event', async () => {
    const { clock, log, files } = await startFake()
    await files.replace(path, 'half')
    await clock.advance(100)
    await files.replace(path, 'old')
    await clock.advance(5000)
    expect(log.events).toEqual([])
  })

  test('after check the next reading is reported once, even if the text is the old one', async () => {
    const { clock, log, files, watch } = await startFake()
    await files.replace(path, 'read by the caller')
    watch.check()
    await files.replace(path, 'old')
    await clock.advance(5000)
    expect(log.events).toEqual([[]])
  })

  test('a file that is written without pause does not delay the others', async () => {
    const { clock, log, files } = await startFake({ also: '/project/other.json' })
    await files.replace('/project/other.json', 'new')
    for (let count = 0; count < 30; count++) {
      await files.replace(path, `line ${count}`)
      await clock.advance(100)
    }
    expect(log.events).toEqual([[text('/project/other.json', 'new')]])
    await clock.advance(5000)
    expect(log.events.slice(1)).toEqual([[text(path, 'line 29')]])
  })

  test('after dispose nothing is reported and no timer is left', async () => {
    const { clock, log, files, watch } = await startFake()
    await files.replace(path, 'new')
    await clock.advance(150)
    watch[Symbol.dispose]()
    await clock.advance(5000)
    expect({ events: log.events, sleeping: clock.sleeping }).toEqual({ events: [], sleeping: 0 })
  })

  test('an abort signal ends the watch, before and while it runs', async () => {
    const stop = new AbortController()
    const { clock, log, files } = await startFake({ signal: stop.signal })
    stop.abort()
    await startFake({ signal: stop.signal })
    await files.replace(path, 'new')
    await clock.advance(5000)
    expect({ events: log.events, sleeping: clock.sleeping }).toEqual({ events: [], sleeping: 0 })
  })

  interface FakeOptions {
    readonly silent?: boolean
    readonly also?: string
    readonly signal?: AbortSignal
  }

  async function startFake({ silent, also, signal }: FakeOptions = {}) {
    const clock = createFakeClock()
    const files = memoryFiles({ [path]: 'old', ...(also !== undefined && { [also]: 'old' }) })
    const quiet: Files = { ...files, watch: () => ({ [Symbol.dispose]: () => undefined }) }
    const platform: Platform = nodePlatform({ clock, files: silent ? quiet : files })
    const log = createLog()
    const watch = watchFiles({
      watched: async () => ({ paths: also === undefined ? [path] : [path, also] }),
      platform,
      onChange: log.onChange,
      ...(signal && { signal }),
    })
    await watch.ready
    return { clock, files, log, watch }
  }
})
