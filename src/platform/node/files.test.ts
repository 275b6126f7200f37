import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeFiles } from './files.ts'

const posix = process.platform !== 'win32'
const isRoot = process.getuid?.() === 0

let folder = ''
const at = (name: string) => join(folder, name)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'files-'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('T08 readText: any kind of file at the path of a config', () => {
  test('a text file gives its text', async () => {
    writeFileSync(at('text.json'), '{"é": 1}\r\n', { mode: 0o640 })
    expect(await nodeFiles.readText(at('text.json'))).toEqual({
      kind: 'text',
      text: '{"é": 1}\r\n',
      bom: false,
      stat: {
        kind: 'file',
        mode: expect.any(Number),
        uid: expect.any(Number),
        size: 11,
        mtimeMs: expect.any(Number),
        ino: expect.any(Number),
      },
    })
  })

  test('an empty file gives an empty text', async () => {
    writeFileSync(at('empty.json'), '')
    expect(await nodeFiles.readText(at('empty.json'))).toMatchObject({ kind: 'text', text: '' })
  })

  test('a byte order mark is reported and not part of the text', async () => {
    writeFileSync(at('bom.json'), '\ufeff{}')
    expect(await nodeFiles.readText(at('bom.json'))).toMatchObject({ kind: 'text', text: '{}', bom: true })
  })

  test('a missing file is absent, also below a file', async () => {
    writeFileSync(at('file'), 'x')
    expect(await nodeFiles.readText(at('absent.json'))).toEqual({ kind: 'absent' })
    expect(await nodeFiles.readText(at('file/below.json'))).toEqual({ kind: 'absent' })
  })

  test('a directory is not a file', async () => {
    mkdirSync(at('dir.json'))
    expect(await nodeFiles.readText(at('dir.json'))).toMatchObject({ kind: 'problem', problem: 'not-a-file' })
  })

  test.runIf(posix)('a FIFO is a problem and does not block', async () => {
    execFileSync('mkfifo', [at('fifo.json')])
    expect(await nodeFiles.readText(at('fifo.json'))).toMatchObject({
      kind: 'problem',
      problem: 'not-a-file',
    })
  })

  test.runIf(posix)('a device, a socket and a loop of links are problems', async () => {
    symlinkSync('/dev/zero', at('zero.json'))
    symlinkSync(at('loop.json'), at('loop.json'))
    const server = createServer()
    await new Promise<void>((listening) => server.listen(at('socket.json'), listening))
    for (const name of ['zero.json', 'loop.json', 'socket.json']) {
      expect(await nodeFiles.readText(at(name))).toMatchObject({ kind: 'problem', problem: 'not-a-file' })
    }
    await new Promise((closed) => server.close(closed))
  })

  test.skipIf(isRoot || !posix)('a file without read permission is a problem', async () => {
    writeFileSync(at('private.json'), '{}')
    chmodSync(at('private.json'), 0)
    expect(await nodeFiles.readText(at('private.json'))).toMatchObject({
      kind: 'problem',
      problem: 'no-permission',
    })
  })

  test.runIf(process.platform === 'linux')('a file that fails while it is read is a problem', async () => {
    expect(await nodeFiles.readText('/proc/self/mem')).toMatchObject({ kind: 'problem', problem: 'io' })
  })

  test('a sparse file of 100 MB is too large and not read', async () => {
    writeFileSync(at('sparse.json'), '')
    truncateSync(at('sparse.json'), 100 * 1024 * 1024)
    expect(await nodeFiles.readText(at('sparse.json'))).toMatchObject({
      kind: 'problem',
      problem: 'too-large',
    })
    await expect(nodeFiles.readBytes(at('sparse.json'), { maxBytes: 1024 })).rejects.toMatchObject({
      name: 'FileError',
      problem: 'too-large',
    })
  })

  test.runIf(process.platform === 'linux')('an endless file without a size is too large', async () => {
    const options = { maxBytes: 100_000 }
    expect(await nodeFiles.readText('/proc/self/pagemap', options)).toMatchObject({ problem: 'too-large' })
    await expect(nodeFiles.readBytes('/proc/self/pagemap', options)).rejects.toMatchObject({
      problem: 'too-large',
    })
  })

  test('the size limit is exact', async () => {
    writeFileSync(at('ten.json'), '0123456789')
    expect(await nodeFiles.readText(at('ten.json'), { maxBytes: 10 })).toMatchObject({ text: '0123456789' })
    expect(await nodeFiles.readText(at('ten.json'), { maxBytes: 9 })).toMatchObject({ problem: 'too-large' })
    expect(new TextDecoder().decode(await nodeFiles.readBytes(at('ten.json'), { maxBytes: 10 }))).toBe(
      '0123456789',
    )
  })

  test.each([
    ['a lone byte', [0x7b, 0xff, 0x7d]],
    ['an overlong form', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
  ])('bytes that are not UTF-8 are a problem: %s', async (_what, bytes) => {
    writeFileSync(at('bytes.json'), Buffer.from(bytes))
    expect(await nodeFiles.readText(at('bytes.json'))).toMatchObject({ kind: 'problem', problem: 'not-utf8' })
  })
})

describe('files: directories and links', () => {
  test('list: sorts a directory, and is empty for anything else', async () => {
    mkdirSync(at('listed'))
    for (const name of ['b', 'a', 'C']) writeFileSync(at(`listed/${name}`), '')
    expect(await nodeFiles.list(at('listed'))).toEqual(['C', 'a', 'b'])
    expect([await nodeFiles.list(at('nowhere')), await nodeFiles.list(at('listed/a'))]).toEqual([[], []])
  })

  test('stat: reports the kind of a path', async () => {
    mkdirSync(at('kinds'))
    expect(await nodeFiles.stat(at('kinds'))).toMatchObject({ kind: 'directory' })
    expect(await nodeFiles.stat(at('no-kind'))).toBeUndefined()
  })

  test.runIf(posix)('realPath: follows links, also for a path that does not exist yet', async () => {
    mkdirSync(at('real'))
    symlinkSync(at('real'), at('link'))
    const real = await nodeFiles.realPath(at('real'))
    expect(await nodeFiles.realPath(at('link'))).toBe(real)
    expect(await nodeFiles.realPath(at('link/new/file.json'))).toBe(join(real, 'new/file.json'))
  })

  test.runIf(posix)(
    'makePrivateDirectory: creates with mode 700, and keeps the mode of an existing directory',
    async () => {
      await nodeFiles.makePrivateDirectory(at('private/deep'))
      expect(statSync(at('private/deep')).mode & 0o777).toBe(0o700)
      mkdirSync(at('shared'), { mode: 0o755 })
      await nodeFiles.makePrivateDirectory(at('shared'))
      expect(statSync(at('shared')).mode & 0o777).toBe(0o755)
    },
  )

  test('watch: reports changes until it is disposed', async () => {
    mkdirSync(at('watched'))
    const told = new Promise((changed) => {
      const watching = nodeFiles.watch(at('watched'), () => {
        watching[Symbol.dispose]()
        changed('told')
      })
    })
    writeFileSync(at('watched/a'), '1')
    expect(await told).toBe('told')
    nodeFiles.watch(at('not-there'), () => undefined)[Symbol.dispose]()
  })
})

describe('files: replace', () => {
  test('creates a file with its directory, keeps the mode of an existing one, and leaves no temporary file', async () => {
    await nodeFiles.replace(at('new/a.json'), '1', { mode: 0o600 })
    await nodeFiles.replace(at('new/a.json'), '2')
    expect(await nodeFiles.readText(at('new/a.json'))).toMatchObject({
      text: '2',
      ...(posix && { stat: { mode: 0o600 } }),
    })
    expect(readdirSync(at('new'))).toEqual(['a.json'])
  })

  test('a failure has a reason and leaves no temporary file', async () => {
    mkdirSync(at('taken/a.json/child'), { recursive: true })
    await expect(nodeFiles.replace(at('taken/a.json'), 'x')).rejects.toMatchObject({ name: 'FileError' })
    expect(readdirSync(at('taken'))).toEqual(['a.json'])
  })
})
