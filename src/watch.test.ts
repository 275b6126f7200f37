import { mkdtempSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Discovery } from './model/server.ts'
import { watchConfig } from './watch.ts'

let home: string
let file: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'plugboard-watch-'))
  mkdirSync(join(home, '.config/plugboard'), { recursive: true })
  mkdirSync(join(home, 'shop'))
  file = join(home, '.config/plugboard/mcp.json')
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const config = (...names: readonly string[]) =>
  JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, { command: name }])) })

/** What is seen, one discovery at a time. */
async function follow() {
  const seen: Discovery[] = []
  let wake: (() => void) | undefined
  const watched = await watchConfig({
    platform: { home, env: {} },
    cwd: join(home, 'shop'),
    onChange: (discovery) => {
      seen.push(discovery)
      wake?.()
    },
  })
  const next = async (): Promise<Discovery> => {
    if (seen.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    wake = undefined
    return seen.shift() ?? watched.current()
  }
  return { watched, next }
}

const names = ({ servers }: Discovery) => servers.map(({ name }) => name)
const problems = ({ diagnostics }: Discovery) =>
  diagnostics.map(({ code, origin }) => ({ code, file: origin?.file, line: origin?.line }))

describe('a discovery follows its files', () => {
  test('FI-75 an edit, a rename over it, a swapped link and a deletion are one event each', async () => {
    writeFileSync(file, config('a'))
    const { watched, next } = await follow()
    try {
      expect(names(watched.current())).toEqual(['a'])

      writeFileSync(file, config('a', 'b'))
      expect(names(await next())).toEqual(['a', 'b'])

      writeFileSync(`${file}.new`, config('c'))
      renameSync(`${file}.new`, file)
      expect(names(await next())).toEqual(['c'])

      writeFileSync(join(home, 'target.json'), config('d'))
      symlinkSync(join(home, 'target.json'), `${file}.link`)
      renameSync(`${file}.link`, file)
      expect(names(await next())).toEqual(['d'])

      unlinkSync(file)
      expect(names(await next())).toEqual([])
    } finally {
      watched[Symbol.dispose]()
    }
  })

  test('FI-70 half a text keeps what was in force and says where it breaks; the rest of it ends that', async () => {
    writeFileSync(file, config('a'))
    const { watched, next } = await follow()
    try {
      writeFileSync(file, '{\n  "mcpServers": {\n    "a": { "command": "x" },\n    "b": {')
      const half = await next()
      expect(names(half)).toEqual(['a'])
      expect(problems(half)).toEqual([{ code: 'parse-error', file, line: 4 }])

      writeFileSync(file, config('a', 'b'))
      const whole = await next()
      expect(names(whole)).toEqual(['a', 'b'])
      expect(problems(whole)).toEqual([])
    } finally {
      watched[Symbol.dispose]()
    }
  })

  test('a file that is not there yet is seen when it comes', async () => {
    const { watched, next } = await follow()
    try {
      expect(names(watched.current())).toEqual([])
      writeFileSync(join(home, 'shop/.mcp.json'), config('p'))
      const found = await next()
      expect(names(found)).toEqual(['p'])
      expect([...found.trust.values()]).toEqual(['pending'])
    } finally {
      watched[Symbol.dispose]()
    }
  })
})
