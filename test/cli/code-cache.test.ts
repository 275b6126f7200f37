import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { cliFile, createMachine } from '../support/programs/cli.ts'
import type { Machine } from '../support/programs/cli.ts'
import { machineWith } from '../support/servers.ts'

const account = fileURLToPath(new URL('../support/account.cjs', import.meta.url))

/** A flag of V8, with which the compiled code in the package does not fit, and the machine's home as that of the account. */
function otherV8(machine: Machine, flag = '--stack-trace-limit=13'): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `${flag} --require "${account}"`, ACCOUNT_HOME: machine.home }
}

const isBuiltHere = readFileSync(cliFile, 'utf8').includes(`${process.versions.v8}-${process.platform}-`)
const ours = 'No MCP servers are in force here.'
const others = 'Code of another build is running.'
const folder = '~/.cache/plugboard/code'

const temp = mkdtempSync(join(tmpdir(), 'plugboard-code-'))
const otherCli = buildOther()
afterAll(() => rmSync(temp, { recursive: true, force: true }))

/** Another build of the command line whose start chunk has the same length and prints another text. */
function buildOther(): string {
  const cli = join(temp, 'cli')
  cpSync(dirname(cliFile), cli, { recursive: true })
  const file = join(cli, 'chunks/start.cjs')
  const text = readFileSync(file, 'utf8')
  const changed = text.replace(ours, others)
  expect(changed).not.toBe(text)
  expect(changed.length).toBe(text.length)
  writeFileSync(file, changed)
  const entry = join(cli, 'plugboard.cjs')
  writeFileSync(entry, readFileSync(entry, 'utf8').replace(sha256(text), sha256(changed)))
  rmSync(join(cli, 'chunks/start.cache'))
  return entry
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

interface ListOptions {
  readonly cli?: string
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

function list(machine: Machine, { cli = cliFile, env = {}, cwd = machine.project }: ListOptions = {}) {
  const { stdout, status } = spawnSync(process.execPath, [cli, 'list'], {
    cwd,
    env: { ...machine.env, ...otherV8(machine), ...env },
    encoding: 'utf8',
  })
  expect(status).toBe(0)
  return stdout.trim()
}

function stored(machine: Machine): readonly string[] {
  return machine.has(folder) ? readdirSync(machine.path(folder)).sort() : []
}

/** A machine on which the other build's code is stored as if it were ours, with nothing else wrong. */
function plantedMachine(): { readonly machine: Machine; readonly file: string } {
  const machine = createMachine()
  expect(list(machine)).toBe(ours)
  const [name = ''] = stored(machine)
  expect(list(machine, { cli: otherCli })).toBe(others)
  const theirs = stored(machine).find((each) => each !== name) ?? ''
  const file = machine.path(`${folder}/${name}`)
  const bytes = readFileSync(machine.path(`${folder}/${theirs}`))
  const end = `${theirs.replace('.cache', '')} 1`
  const code = bytes.subarray(0, bytes.length - end.length)
  expect(bytes.toString('latin1', code.length)).toBe(end)
  rmSync(machine.path(folder), { recursive: true })
  mkdirSync(dirname(file), { mode: 0o700 })
  writeFileSync(file, Buffer.concat([code, Buffer.from(`${name.replace('.cache', '')} 1`)]), { mode: 0o600 })
  return { machine, file }
}

function changeAt(bytes: Buffer, at: number, count: number): Buffer {
  const start = Math.floor(at)
  const changed = Buffer.from(bytes)
  if (count === 1) changed.writeUInt8(bytes.readUInt8(start) ^ 0x10, start)
  else changed.fill(0, start, start + count)
  return changed
}

/** A private directory of the person with 20 old files. */
function mailbox(machine: Machine): string {
  const mails = machine.path('~/mails')
  mkdirSync(mails, { mode: 0o700 })
  for (let index = 0; index < 20; index++) utimesSync(machine.write(`~/mails/${index}`, 'mail'), index, index)
  return mails
}

describe.skipIf(process.platform === 'win32')('T57 compiled code in the cache directory', () => {
  test('T57 a V8 that the package was not compiled for stores code once, privately', () => {
    using machine = createMachine()
    expect(list(machine)).toBe(ours)
    const [name = '', ...more] = stored(machine)
    expect(more).toEqual([])
    expect(name).toContain(sha256(readFileSync(join(dirname(cliFile), 'chunks/start.cjs'), 'utf8')))
    expect(name).toContain(`${process.versions.v8}-${process.platform}-${process.arch}`)
    expect([machine.mode(`${folder}/${name}`), machine.mode(folder)]).toEqual([0o600, 0o700])
    const { ino } = statSync(machine.path(`${folder}/${name}`))
    expect(list(machine)).toBe(ours)
    expect(statSync(machine.path(`${folder}/${name}`)).ino).toBe(ino)
  })

  test('T57 the next start runs the stored code', () => {
    const { machine } = plantedMachine()
    using _ = machine
    expect(list(machine)).toBe(others)
  })

  test('T57 other flags of V8 have their own file', () => {
    using machine = createMachine()
    list(machine)
    list(machine, { env: otherV8(machine, '--stack-trace-limit=14') })
    expect(stored(machine)).toHaveLength(2)
  })

  test('T57 each of list, tools and call adds its functions once', async () => {
    const tools = [{ name: 'find', inputSchema: { type: 'object' } }]
    using machine = machineWith({ x: faultyServer({ tools }) })
    const commandsOf = () =>
      stored(machine).map((name) => {
        const [chunk] = name.split('-', 1)
        return `${chunk} ${machine.read(`${folder}/${name}`).at(-1)}`
      })
    const run = async (...args: readonly string[]) =>
      expect((await machine.runWith({ from: 'dist', env: otherV8(machine) }, ...args)).code).toBe(0)
    await run('list')
    expect(commandsOf()).toEqual(['start 1'])
    await run('tools')
    expect(commandsOf()).toEqual(['host 2', 'start 3'])
    await run('call', 'x__find')
    expect(commandsOf()).toEqual(['connecting 4', 'host 6', 'scanner 4', 'start 7'])
    await run('tools')
    expect(commandsOf()).toEqual(['connecting 4', 'host 6', 'scanner 4', 'start 7'])
  })

  test.skipIf(!isBuiltHere)(
    'T57 the V8 of the build stores nothing, also with options that V8 ignores',
    () => {
      using machine = createMachine()
      expect(list(machine, { env: { NODE_OPTIONS: '' } })).toBe(ours)
      expect(list(machine, { env: { NODE_OPTIONS: '--no-warnings' } })).toBe(ours)
      expect(stored(machine)).toEqual([])
    },
  )

  test('T57 a command that fails stores nothing', async () => {
    using machine = createMachine()
    expect(
      (await machine.runWith({ from: 'dist', env: otherV8(machine) }, 'list', '--preset', 'x')).code,
    ).not.toBe(0)
    expect(
      (await machine.runWith({ from: 'dist', env: otherV8(machine) }, 'tools', '--source', 'x')).code,
    ).not.toBe(0)
    expect(stored(machine)).toEqual([])
  })

  test('T57 code of an older build does not run, whose text is as long', () => {
    using machine = createMachine()
    expect(list(machine, { cli: otherCli })).toBe(others)
    expect(list(machine)).toBe(ours)
    expect(list(machine, { cli: otherCli })).toBe(others)
    expect(list(machine)).toBe(ours)
    expect(stored(machine)).toHaveLength(2)
  })

  test('T57 code of another text under our name does not run and is replaced', () => {
    using machine = createMachine()
    list(machine)
    const [name = ''] = stored(machine)
    list(machine, { cli: otherCli })
    const theirs = stored(machine).find((each) => each !== name) ?? ''
    renameSync(machine.path(`${folder}/${theirs}`), machine.path(`${folder}/${name}`))
    expect(list(machine)).toBe(ours)
    expect(machine.read(`${folder}/${name}`).slice(-200)).toContain(name.replace('.cache', ''))
  })

  test.each<readonly [string, (bytes: Buffer) => Buffer]>([
    ['no end', (bytes) => bytes.subarray(0, bytes.length - 300)],
    ['half of its bytes', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['nothing in it', () => Buffer.alloc(0)],
    ['another bit in it', (bytes) => changeAt(bytes, bytes.length / 5, 1)],
    ['a block of zeros in it', (bytes) => changeAt(bytes, 65_536, 4096)],
    ['another last digit', (bytes) => changeAt(bytes, bytes.length - 1, 1)],
    ['too much in it', (bytes) => Buffer.concat([Buffer.alloc(4 * 1024 * 1024), bytes])],
  ])('T57 a stored file with %s does not run and is replaced', (_what, change) => {
    const { machine, file } = plantedMachine()
    using _ = machine
    writeFileSync(file, change(readFileSync(file)))
    expect(list(machine)).toBe(ours)
    const { ino } = statSync(file)
    expect(list(machine)).toBe(ours)
    expect(statSync(file).ino).toBe(ino)
  })

  test.each<readonly [string, (file: string) => void]>([
    ['that others can write', (file) => chmodSync(file, 0o622)],
    ['that its group can read', (file) => chmodSync(file, 0o640)],
    ['in a directory that others can write', (file) => chmodSync(dirname(file), 0o777)],
    ['in a directory that others can enter', (file) => chmodSync(dirname(file), 0o755)],
    [
      'that is a link',
      (file) => {
        renameSync(file, join(dirname(file), 'elsewhere'))
        symlinkSync('elsewhere', file)
      },
    ],
    [
      'that is a directory',
      (file) => {
        rmSync(file)
        mkdirSync(file, { mode: 0o700 })
      },
    ],
  ])('T57 stored code %s does not run', (_what, change) => {
    const { machine, file } = plantedMachine()
    using _ = machine
    change(file)
    expect(list(machine)).toBe(ours)
  })

  test.skipIf(process.getuid?.() !== 0)('T57 code of another user does not run', () => {
    const { machine, file } = plantedMachine()
    using _ = machine
    chownSync(file, 12_345, 12_345)
    expect(list(machine)).toBe(ours)
    const second = plantedMachine()
    using _second = second.machine
    chownSync(dirname(second.file), 12_345, 12_345)
    expect(list(second.machine)).toBe(ours)
  })

  test.each<readonly [string, (machine: Machine) => Record<string, string>]>([
    ['XDG_CACHE_HOME leads into it', (machine) => ({ XDG_CACHE_HOME: machine.path('.cache') })],
    ['XDG_CACHE_HOME is relative', () => ({ XDG_CACHE_HOME: '../shop/.cache' })],
    ['HOME leads into it', (machine) => ({ HOME: machine.project })],
    [
      'XDG_CACHE_HOME leads into it through a link',
      (machine) => {
        symlinkSync(machine.path('.cache'), machine.path('~/elsewhere'))
        return { XDG_CACHE_HOME: machine.path('~/elsewhere') }
      },
    ],
  ])('T57 code in a project does not run and is not stored there if %s', (_what, variables) => {
    const { machine, file } = plantedMachine()
    using _ = machine
    const planted = machine.path('.cache/plugboard/code')
    mkdirSync(dirname(planted), { recursive: true, mode: 0o700 })
    renameSync(dirname(file), planted)
    // Without this sign a project cannot be recognized from a folder in it.
    rmSync(machine.path('.git'), { recursive: true })
    const before = statSync(planted).mtimeMs
    const cwd = machine.path('src')
    mkdirSync(cwd)
    const env = variables(machine)
    expect(list(machine, { env, cwd })).toBe(ours)
    expect(list(machine, { env })).toBe(ours)
    expect(statSync(planted).mtimeMs).toBe(before)
    rmSync(planted, { recursive: true })
    expect(list(machine, { env, cwd })).toBe(ours)
    expect(existsSync(planted)).toBe(false)
  })

  test('T57 without a directory of the account, no folder of the project takes its place', () => {
    const { machine, file } = plantedMachine()
    using _ = machine
    renameSync(dirname(file), machine.path('undefined'))
    expect(list(machine, { env: { HOME: machine.path('~/other') } })).toBe(ours)
    expect(list(machine, { env: { HOME: '' } })).toBe(ours)
  })

  test('T57 nothing is stored if a variable names another home or cache directory', () => {
    using machine = createMachine()
    const moved = machine.path('~/moved')
    mkdirSync(moved)
    list(machine, { env: { XDG_CACHE_HOME: moved } })
    list(machine, { env: { HOME: moved } })
    expect([readdirSync(moved), stored(machine)]).toEqual([[], []])
    list(machine, { env: { XDG_CACHE_HOME: machine.path('~/.cache') } })
    expect(stored(machine)).toHaveLength(1)
  })

  test.each(['~/.cache/plugboard/code', '~/.cache/plugboard', '~/.cache'])(
    'T57 no file is stored or removed through the link %s',
    (link) => {
      using machine = createMachine()
      const mails = mailbox(machine)
      const inside = join(mails, 'plugboard/code')
      mkdirSync(inside, { recursive: true, mode: 0o700 })
      mkdirSync(dirname(machine.path(link)), { recursive: true, mode: 0o700 })
      symlinkSync(mails, machine.path(link))
      expect(list(machine)).toBe(ours)
      expect([readdirSync(mails).length, readdirSync(inside).length]).toEqual([21, 0])
    },
  )

  test('T54 a repository cannot have the person’s files removed by a link of its own and a variable', () => {
    using machine = createMachine()
    const mails = mailbox(machine)
    mkdirSync(machine.path('.cache/plugboard'), { recursive: true })
    symlinkSync(mails, machine.path('.cache/plugboard/code'))
    expect(list(machine, { env: { XDG_CACHE_HOME: machine.path('.cache') } })).toBe(ours)
    expect(readdirSync(mails)).toHaveLength(20)
  })

  test.skipIf(process.getuid?.() !== 0)('T57 root creates nothing in the home of another user', () => {
    using machine = createMachine()
    const other = machine.path('~/other')
    mkdirSync(other)
    chownSync(other, 12_345, 12_345)
    list(machine, { env: { HOME: other } })
    list(machine, { env: { HOME: other, ACCOUNT_HOME: other } })
    expect(readdirSync(other)).toEqual([])
  })

  test('T57 only our newest files stay, and all that is not ours', () => {
    using machine = createMachine()
    list(machine)
    const [name = ''] = stored(machine)
    rmSync(machine.path(`${folder}/${name}`))
    const old = (index: number) => name.replace(/[\da-f]{64}/, `${index}`.padStart(64, '0'))
    const left = old(99).replace('cache', '4711.tmp')
    for (let index = 0; index < 20; index++)
      utimesSync(machine.write(`${folder}/${old(index)}`, ''), index, index)
    utimesSync(machine.write(`${folder}/${left}`, ''), 0, 0)
    utimesSync(machine.write(`${folder}/notes.cache`, ''), 0, 0)
    symlinkSync('nowhere', machine.path(`${folder}/${old(30)}`))
    mkdirSync(machine.path(`${folder}/${old(31)}`))
    list(machine)
    const remain = Array.from({ length: 15 }, (_, index) => old(index + 5))
    expect(stored(machine)).toEqual([name, 'notes.cache', old(30), old(31), ...remain].sort())
  })

  test('T57 a directory at the name of a stored file stays, and nothing is written beside it', () => {
    const { machine, file } = plantedMachine()
    using _ = machine
    rmSync(file)
    mkdirSync(file, { mode: 0o700 })
    const before = statSync(dirname(file)).mtimeMs
    expect(list(machine)).toBe(ours)
    expect(statSync(dirname(file)).mtimeMs).toBe(before)
  })
})
