import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bundleScript, runScript } from '../../../test/support/programs/processes.ts'
import { parseJsonc } from '../../sources/formats/jsonc.ts'

const before = `{
  // whose servers these are
  "mcpServers": {
    "first": { "command": "x" } // mine
  }
}
`
/** The text after the writer has added `new`. */
const after = before.replace(
  '} // mine\n',
  '}, // mine\n    "new": {\n      "type": "stdio",\n      "command": "run-new"\n    }\n',
)

let script: string
let directory: string
let file: string

beforeAll(async () => {
  script = await bundleScript('writer.ts')
  await chmod(dirname(script), 0o755)
  return () => rm(dirname(script), { recursive: true })
})

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'plugboard-writers-'))
  file = join(directory, 'mcp.json')
  await writeFile(file, before, { mode: 0o640 })
  await chmod(file, 0o640)
})

afterEach(() => rm(directory, { recursive: true }))

interface Faults {
  readonly stop?: string
  readonly fail?: string
  readonly uid?: number
}

async function add(name: string, { stop, fail, uid }: Faults = {}) {
  const env = {
    ...(stop !== undefined && { PLUGBOARD_TEST_STOP: stop }),
    ...(fail !== undefined && { PLUGBOARD_TEST_FAIL: fail }),
  }
  const writer = runScript(script, [file, name], { env, ...(uid !== undefined && { uid }) })
  expect(await writer.nextLine()).toBe('"ready"')
  writer.go()
  const line = await writer.nextLine()
  return { answer: line === undefined ? undefined : JSON.parse(line), ...(await writer.ended) }
}

const done = (name: string) => ({ answer: { added: name }, code: 0, signal: null })
const text = () => readFile(file, 'utf8')

describe('FI-71 concurrent writers', () => {
  test('50 processes that add at once give 50 entries with comments intact, and readers always see valid text', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `server-${index}`)
    const writers = names.map((name) => runScript(script, [file, name]))
    for (const writer of writers) expect(await writer.nextLine()).toBe('"ready"')
    for (const writer of writers) writer.go()
    const all = Promise.all(writers.map(async (writer) => [await writer.nextLine(), await writer.ended]))

    const seen = new Set<string>()
    for (const writer of writers) {
      seen.add(await text())
      await writer.ended
    }
    expect(await all).toEqual(
      names.map((name) => [JSON.stringify({ added: name }), { code: 0, signal: null }]),
    )
    for (const state of seen) expect(parseJsonc(state).errors).toEqual([])
    const doc = parseJsonc(await text())
    const servers = (doc.value as { mcpServers: object }).mcpServers // the file's own shape
    expect(Object.keys(servers).sort()).toEqual(['first', ...names].sort())
    expect(doc.relaxed.map(({ message }) => message)).toEqual(['comment', 'comment'])
    expect(await readdir(directory)).toEqual(['mcp.json'])
  })

  test.each([
    ['open', before],
    ['write', before],
    ['sync', before],
    ['synced', before],
    ['rename', before],
    ['renamed', after],
  ])(
    'a writer killed at "%s" leaves the old file or the new one, and the next writer succeeds',
    async (stop, expected) => {
      expect(await add('new', { stop })).toEqual({ answer: undefined, code: null, signal: 'SIGKILL' })
      expect(await text()).toBe(expected)
      const left = await readdir(directory)
      expect(left.length).toBe(['write', 'sync', 'synced', 'rename'].includes(stop) ? 2 : 1)

      expect(await add('next')).toEqual(done('next'))
      expect(Object.keys((parseJsonc(await text()).value as { mcpServers: object }).mcpServers)).toEqual(
        expected === after ? ['first', 'new', 'next'] : ['first', 'next'],
      )
      expect(await readdir(directory)).toEqual(['mcp.json'])
    },
  )
})

describe('FI-73 failed writes', () => {
  test.each([
    ['open:EACCES', 'permission denied'],
    ['open:EROFS', 'the file system is read-only'],
    ['open:ENOSPC', 'no space left on the device'],
    ['write:ENOSPC', 'no space left on the device'],
    ['write:EDQUOT', 'no space left on the device'],
    ['sync:EIO', 'EIO'],
    ['rename:EIO', 'EIO'],
    ['rename:EACCES', 'permission denied'],
  ])('%s: gives a typed error and leaves the old file byte for byte', async (fail, reason) => {
    expect(await add('new', { fail })).toEqual({
      answer: { code: 'config.unwritable', message: `${file}: ${reason}. The file is unchanged.` },
      code: 0,
      signal: null,
    })
    expect(await text()).toBe(before)
    expect(await readdir(directory)).toEqual(['mcp.json'])
  })

  test.skipIf(process.platform === 'win32')(
    'a folder without write permission: gives a typed error',
    async () => {
      // Permissions do not stop root, so under root the writer runs as another user.
      const uid = process.getuid?.() === 0 ? 65_534 : undefined
      if (uid !== undefined) {
        await chown(directory, uid, uid)
        await chown(file, uid, uid)
      }
      await chmod(directory, 0o555)
      const { answer } = await add('new', uid === undefined ? {} : { uid })
      await chmod(directory, 0o755)
      expect(answer).toEqual({
        code: 'config.unwritable',
        message: `${file}: permission denied. The file is unchanged.`,
      })
      expect(await text()).toBe(before)
    },
  )
})

describe('T09 an edit preserves the file', () => {
  test('comments, order and mode stay', async () => {
    expect(await add('new')).toEqual(done('new'))
    expect(await text()).toBe(after)
    expect((await stat(file)).mode & 0o777).toBe(0o640)
  })

  test('Windows line breaks and the byte order mark stay', async () => {
    await writeFile(file, `\uFEFF${before.replaceAll('\n', '\r\n')}`)
    expect(await add('new')).toEqual(done('new'))
    expect(await text()).toBe(`\uFEFF${after.replaceAll('\n', '\r\n')}`)
  })

  test('a link stays a link, and its target is written', async () => {
    await mkdir(join(directory, 'dotfiles'))
    const real = join(directory, 'dotfiles/servers.json')
    await writeFile(real, before)
    await rm(file)
    await symlink('dotfiles/servers.json', file)
    expect(await add('new')).toEqual(done('new'))
    expect(await readFile(real, 'utf8')).toBe(after)
    expect(await readlink(file)).toBe('dotfiles/servers.json')
    expect(await readdir(join(directory, 'dotfiles'))).toEqual(['servers.json'])
  })

  test('a new file of the user is readable by its owner only', async () => {
    await rm(file)
    expect(await add('new')).toEqual(done('new'))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('a file that is marked read-only is not replaced', async () => {
    await chmod(file, 0o440)
    expect((await add('new')).answer).toEqual({
      code: 'config.unwritable',
      message: `${file} is marked read-only.`,
    })
    expect(await text()).toBe(before)
  })
})
