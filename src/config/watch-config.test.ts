import { mkdtempSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Discovery } from '../model/server.ts'
import { requestTrust, trustServer } from './trust/request-trust.ts'
import { watchConfig } from './watch-config.ts'
import type { WatchConfigOptions } from './watch-config.ts'

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

/** Starts a watch and returns its discoveries one at a time. */
async function follow(options: Partial<WatchConfigOptions> = {}) {
  const seen: Discovery[] = []
  let wake: (() => void) | undefined
  const watched = await watchConfig({
    platform: { home, env: {} },
    cwd: join(home, 'shop'),
    ...options,
    onChange: (discovery) => {
      seen.push(discovery)
      wake?.()
      return options.onChange?.(discovery)
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

describe('watchConfig: changes', () => {
  test('FI-75 an edit, a rename over the file, a changed link and a deletion are one event each', async () => {
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

  test('FI-70 a half-written text keeps the previous discovery and is reported until it is complete', async () => {
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

  test('a new file is reported', async () => {
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

describe('watchConfig: failures', () => {
  test('FI-74 a trust store that is damaged while watching trusts no project server', async () => {
    writeFileSync(join(home, 'shop/.mcp.json'), config('p'))
    const options = { platform: { home, env: {} }, cwd: join(home, 'shop') }
    const { watched, next } = await follow()
    try {
      const [server] = watched.current().servers
      if (!server) throw new Error('There is no server.')
      await trustServer(await requestTrust(server, options), options)
      expect([...(await next()).trust.values()]).toEqual(['trusted'])
      writeFileSync(join(home, '.local/state/plugboard/trust.json'), '{{{')
      const damaged = await next()
      expect([...damaged.trust.values()]).toEqual(['pending'])
      expect(problems(damaged).map(({ code }) => code)).toEqual(['store-damaged'])
    } finally {
      watched[Symbol.dispose]()
    }
  })

  test('FI-70 a listener that throws or rejects is reported and receives the next change', async () => {
    const errors: unknown[] = []
    const failures = [
      () => {
        throw new Error('thrown')
      },
      () => Promise.reject(new Error('rejected')),
    ]
    const { watched, next } = await follow({
      onChange: () => failures.shift()?.(),
      onError: (error) => {
        errors.push(error)
        throw new Error('this one goes nowhere')
      },
    })
    try {
      for (const name of ['a', 'b', 'c']) {
        writeFileSync(file, config(name))
        expect(names(await next())).toEqual([name])
      }
      expect(errors).toEqual([new Error('thrown'), new Error('rejected')])
    } finally {
      watched[Symbol.dispose]()
    }
  })

  test('FI-70 a discovery that fails is reported, and the previous one stays in force', async () => {
    writeFileSync(file, config('a'))
    let fails = false
    let onFailure: (error: unknown) => void = () => undefined
    const failed = new Promise((resolve) => (onFailure = resolve))
    const { nodeFiles } = await import('../platform/node/files.ts')
    const files = {
      ...nodeFiles,
      list: async (path: string) => {
        if (fails) throw new Error('no listing')
        return nodeFiles.list(path)
      },
    }
    const { watched, next } = await follow({
      platform: { home, env: {}, files },
      onError: (error) => onFailure(error),
    })
    try {
      fails = true
      writeFileSync(file, config('b'))
      expect(await failed).toEqual(new Error('no listing'))
      expect(names(watched.current())).toEqual(['a'])
      fails = false
      writeFileSync(file, config('c'))
      expect(names(await next())).toEqual(['c'])
      fails = true
      await expect(follow({ platform: { home, env: {}, files } })).rejects.toThrow('no listing')
    } finally {
      watched[Symbol.dispose]()
    }
  })
})

describe('FI-75 watchConfig: watched files', () => {
  test('files of a client that is enabled later are watched', async () => {
    mkdirSync(join(home, '.cursor'))
    writeFileSync(join(home, '.cursor/mcp.json'), config('a'))
    const { watched, next } = await follow()
    try {
      writeFileSync(join(home, '.config/plugboard/settings.json'), '{"sources":["cursor"]}')
      expect(names(await next())).toEqual(['a'])
      writeFileSync(join(home, '.cursor/mcp.json'), config('b'))
      expect(names(await next())).toEqual(['b'])
    } finally {
      watched[Symbol.dispose]()
    }
  })

  test('settings files of the user and the project are watched, for hosts to read again', async () => {
    writeFileSync(join(home, 'shop/.mcp.json'), config('a'))
    const { watched, next } = await follow()
    try {
      for (const folder of ['.config/plugboard', 'shop/.plugboard']) {
        mkdirSync(join(home, folder), { recursive: true })
        writeFileSync(join(home, folder, 'settings.json'), '{"tools":["*"]}')
        expect(names(await next())).toEqual(['a'])
      }
    } finally {
      watched[Symbol.dispose]()
    }
  })

  test('a new file in a folder of servers is reported', async () => {
    const folder = join(home, 'shop/.continue/mcpServers')
    const { watched, next } = await follow({ sources: ['continue'] })
    try {
      mkdirSync(folder, { recursive: true })
      for (const [name, expected] of [
        ['a', ['a']],
        ['b', ['a', 'b']],
      ] as const) {
        const text = `name: ${name}\nversion: 1.0.0\nschema: v1\nmcpServers:\n  - name: ${name}\n    command: x\n`
        writeFileSync(join(folder, `${name}.yaml`), text)
        expect(names(await next())).toEqual(expected)
      }
      unlinkSync(join(folder, 'a.yaml'))
      expect(names(await next())).toEqual(['b'])
    } finally {
      watched[Symbol.dispose]()
    }
  })
})
