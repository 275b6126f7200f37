import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { strToU8, zipSync } from 'fflate'
import type { Zippable } from 'fflate'
import { describe, expect, onTestFinished, test } from 'vitest'
import { nodeFiles } from '../../../platform/node/files.ts'
import { memoryFiles } from '../../../testing/memory-files.ts'
import { readArchive } from './archive.ts'
import { unpackArchive } from './unpack-archive.ts'

const manifest = '{"manifest_version": "0.3", "name": "shop"}'
const script = strToU8('console.log("hello")')
const file = '/downloads/shop.mcpb'

function pack(files: Zippable = {}): Uint8Array {
  return zipSync({ 'manifest.json': strToU8(manifest), ...files })
}

/** The code and message of each problem; `read` if there is none. */
function verdict(bytes: Uint8Array): readonly string[] | 'read' {
  const found = readArchive(bytes, file)
  return found.kind === 'archive'
    ? 'read'
    : found.diagnostics.map(({ code, message }) => `${code}: ${message}`)
}

test('readArchive: reads the files, the executables and the text of the manifest', () => {
  const bytes = pack({
    server: {
      'index.js': script,
      'stored.js': [script, { level: 0 }],
      run: [script, { os: 3, attrs: modeOf(0o100755) }],
    },
  })
  expect(readArchive(bytes, file)).toEqual({
    kind: 'archive',
    archive: {
      files: new Map([
        ['manifest.json', strToU8(manifest)],
        ['server/index.js', script],
        ['server/stored.js', script],
        ['server/run', script],
      ]),
      executables: new Set(['server/run']),
      manifest,
    },
  })
})

test('readArchive: accepts folders, empty files, a comment and a signature after the archive', () => {
  const signed = Buffer.concat([
    pack({ 'server/': new Uint8Array(), empty: new Uint8Array() }),
    Buffer.from('MCPB_SIG_V1…'),
  ])
  expect(verdict(signed)).toBe('read')
})

describe('T46 readArchive: unsafe names are refused before anything is unpacked', () => {
  test.each([
    ['../x', 'points outside its folder'],
    ['a/../../x', 'points outside its folder'],
    ['/etc/x', 'is an absolute path'],
    ['//host/x', 'is an absolute path'],
    ['..\\x', 'has a backslash in its name, which is a separator on Windows'],
    ['\\\\host\\x', 'has a backslash in its name, which is a separator on Windows'],
    ['C:/x', 'has a colon in its name, which is a drive or a stream on Windows'],
    ['C:x', 'has a colon in its name, which is a drive or a stream on Windows'],
    ['a.js:hidden', 'has a colon in its name, which is a drive or a stream on Windows'],
    ['.. /x', 'has a name that ends in a dot or a space'],
    ['a/.../x', 'has a name that ends in a dot or a space'],
    ['./x', 'is not a plain path'],
    ['a//x', 'is not a plain path'],
    ['a\u0000.js', 'has control characters in its name'],
    ['\u001b[2Jx', 'has control characters in its name'],
  ])('%j %s', (name, reason) => {
    expect(verdict(pack({ [name]: script }))).toEqual([`unsafe-archive: ${JSON.stringify(name)} ${reason}.`])
  })

  test.each([
    ['d/'.repeat(20_000), 'is 20001 folders deep, more than 64'],
    ['n'.repeat(300), 'has a name of more than 255 bytes'],
    [`${'d'.repeat(250)}/`.repeat(5), 'has a path of more than 1024 bytes'],
  ])('T46 a path that no system can write is refused (%#)', (folder, reason) => {
    const name = `${folder}x`
    const shown = JSON.stringify(`${name.slice(0, 100)}…`)
    expect(verdict(pack({ [name]: script }))).toEqual([`unsafe-archive: ${shown} ${reason}.`])
  })

  test('folders are checked too', () => {
    expect(verdict(pack({ '../x/': new Uint8Array() }))).toEqual([
      'unsafe-archive: "../x/" points outside its folder.',
    ])
  })

  test('a name that is not UTF-8 is refused', () => {
    const bytes = replaceBytes(pack({ abc: script }), strToU8('abc'), Uint8Array.of(0x61, 0xff, 0x63))
    expect(verdict(bytes)).toEqual(['unsafe-archive: A name in the archive is not UTF-8.'])
  })

  test('a name that differs between the directory and the local header is refused', () => {
    const bytes = patchEntry(pack({ 'ok.js': script }), 'ok.js', (view, at) => {
      for (const [index, byte] of strToU8('no.js').entries()) view.setUint8(at + 46 + index, byte)
    })
    expect(verdict(bytes)).toEqual([
      'unsafe-archive: "no.js" has a different name or method in its header than in the directory.',
    ])
  })
})

describe('T46 readArchive: links, devices and colliding names are refused', () => {
  test.each([
    ['a link', 0o120777],
    ['a device', 0o020666],
    ['a pipe', 0o010666],
  ])('%s is refused by its attributes', (_kind, mode) => {
    const bytes = pack({ x: [strToU8('/etc/passwd'), { os: 3, attrs: modeOf(mode) }] })
    expect(verdict(bytes)).toEqual(['unsafe-archive: "x" is a link or a device, not a file.'])
  })

  test('a link is refused even if the archive claims a system without links', () => {
    const bytes = pack({ x: [strToU8('/etc'), { os: 0, attrs: modeOf(0o120777) }], 'x/a': script })
    expect(verdict(bytes)).toEqual([
      'unsafe-archive: "x" is a link or a device, not a file.',
      'unsafe-archive: "x" is in the archive more than once.',
    ])
  })

  test.each([
    ['the same name twice', 'b.js', 'a.js'],
    ['names that differ only in case', 'b.js', 'A.JS'],
  ])('%s is refused', (_kind, was, is) => {
    const bytes = replaceBytes(pack({ 'a.js': script, 'b.js': script }), strToU8(was), strToU8(is))
    expect(verdict(bytes)).toEqual([`unsafe-archive: "${is}" is in the archive more than once.`])
  })

  test('names that differ only in Unicode form are refused', () => {
    expect(verdict(pack({ 'caf\u00e9': script, 'cafe\u0301': script }))).toEqual([
      'unsafe-archive: "cafe\u0301" is in the archive more than once.',
    ])
  })

  test('files that share their data are refused', () => {
    const inner = zipSync({ 'b.js': [script, { level: 0 }] })
    const bytes = pack({ a: [inner, { level: 0 }], 'b.js': [script, { level: 0 }] })
    const insideA = Buffer.from(bytes).indexOf(inner)
    const overlapping = patchEntry(bytes, 'b.js', (view, at) => view.setUint32(at + 42, insideA, true))
    expect(verdict(overlapping)).toEqual(['unsafe-archive: "b.js" shares its data with another file.'])
  })
})

describe('T46 readArchive: bombs are refused', () => {
  test('by the number of files', () => {
    const many = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, index) => [`f${index}`, new Uint8Array()]),
    )
    expect(verdict(pack(many))).toEqual(['unsafe-archive: The archive has 10001 files, more than 10000.'])
  })

  test('by the size the directory declares', () => {
    const bytes = patchEntry(pack({ x: script }), 'x', (view, at) =>
      view.setUint32(at + 24, 600 * 1024 * 1024, true),
    )
    expect(verdict(bytes)).toEqual([
      `unsafe-archive: The archive unpacks to ${600 * 1024 * 1024 + manifest.length} bytes, more than 524288000.`,
    ])
  })

  test('by the ratio of unpacked to packed', () => {
    expect(verdict(pack({ zeros: new Uint8Array(1024 * 1024) }))).toEqual([
      'unsafe-archive: The archive unpacks to more than 100 times its size.',
    ])
  })

  test('by the unpacked size, if the directory declares less', () => {
    const bytes = patchEntry(pack({ zeros: new Uint8Array(4 * 1024 * 1024) }), 'zeros', (view, at) =>
      view.setUint32(at + 24, 1000, true),
    )
    expect(verdict(bytes)).toEqual(['unsafe-archive: "zeros" unpacks to more than the archive declares.'])
  })
})

describe('readArchive: damaged archives are parse errors, not unsafe archives', () => {
  test.each([
    ['an empty file', new Uint8Array(), 'parse-error: This is not a zip archive.'],
    [
      'a text file',
      strToU8('{"mcpServers": {}} and some more text'),
      'parse-error: This is not a zip archive.',
    ],
    ['a truncated archive', pack({ x: script }).subarray(0, 100), 'parse-error: This is not a zip archive.'],
    [
      'an end record without a directory',
      pack().subarray(pack().length - 22),
      'parse-error: The archive is damaged at its directory.',
    ],
    ['no manifest', zipSync({ 'index.js': script }), 'missing-key: The bundle has no manifest.json.'],
    [
      'a manifest that is not text',
      zipSync({ 'manifest.json': Uint8Array.of(0xff) }),
      'parse-error: The manifest.json is not UTF-8 text.',
    ],
    [
      'a changed byte',
      damage(pack({ x: [script, { level: 0 }] })),
      'parse-error: The archive is damaged at "x".',
    ],
    [
      'an encrypted file',
      patchEntry(pack({ x: script }), 'x', (view, at) => view.setUint16(at + 8, 1, true)),
      'parse-error: "x" is encrypted.',
    ],
    [
      'an unknown method',
      patchEntry(pack({ x: script }), 'x', (view, at) => view.setUint16(at + 10, 99, true)),
      'parse-error: "x" uses an unknown compression method.',
    ],
    [
      'data beyond the end',
      patchEntry(pack({ x: script }), 'x', (view, at) => view.setUint32(at + 20, 9999, true)),
      'parse-error: The archive is damaged at "x".',
    ],
    [
      'a header offset outside the file',
      patchEntry(pack({ x: script }), 'x', (view, at) => view.setUint32(at + 42, 0xfffffff0, true)),
      'parse-error: The archive is damaged at "x".',
    ],
  ])('%s is reported', (_kind, bytes, expected) => {
    expect(verdict(bytes)).toEqual([expected])
  })

  test('any damaged byte gives a result or a diagnostic, never an exception', () => {
    const bytes = pack({ 'server/index.js': script })
    for (let index = 0; index < bytes.length; index++) {
      const wrong = bytes.slice()
      wrong[index] = (wrong[index] ?? 0) ^ 0xff
      expect(['archive', 'refused']).toContain(readArchive(wrong, file).kind)
    }
  })
})

describe('unpackArchive', () => {
  test('T46 writes private files, executable if the bundle marks them so', async () => {
    const folder = join(temporary(), 'bundles/shop')
    const read = readArchive(pack({ server: { run: [script, { os: 3, attrs: modeOf(0o104777) }] } }), file)
    if (read.kind !== 'archive') throw new Error('refused')
    await unpackArchive(read.archive, folder, { files: nodeFiles })
    const mode = (path: string) => (statSync(join(folder, path)).mode & 0o7777).toString(8)
    expect(readdirSync(folder, { recursive: true }).map(String).sort()).toEqual([
      'manifest.json',
      'server',
      'server/run',
    ])
    expect(readFileSync(join(folder, 'manifest.json'), 'utf8')).toBe(manifest)
    expect(['', 'server', 'server/run', 'manifest.json'].map(mode)).toEqual(['700', '700', '700', '600'])
  })

  test('T46 renames the folder when it is complete, and a failure leaves nothing behind', async () => {
    const files = memoryFiles({})
    const names = ['manifest.json', 'a.js', 'b.js']
    const seen: string[] = []
    const failing = {
      ...files,
      async writeBytes(path: string, content: Uint8Array, options: { readonly mode: number }) {
        seen.push(path)
        if (path.endsWith('b.js')) throw new Error('the disk is full')
        await files.writeBytes(path, content, options)
      },
    }
    const unpacking = unpackArchive(archiveOf(...names), '/bundles/shop', { files: failing })
    await expect(unpacking).rejects.toThrow('the disk is full')
    expect(seen.filter((path) => path.startsWith('/bundles/shop/'))).toEqual([])
    expect(files.bytes.size).toBe(0)
    await unpackArchive(archiveOf(...names), '/bundles/shop', { files })
    expect([...files.bytes.keys()].sort()).toEqual(names.map((name) => `/bundles/shop/${name}`).sort())
  })

  test('T47 never writes into an existing folder', async () => {
    const folder = temporary()
    const refusal = { code: 'config.conflict', data: { file: folder } }
    await expect(unpackArchive(archiveOf('a.js'), folder, { files: nodeFiles })).rejects.toMatchObject(
      refusal,
    )
    symlinkSync(join(folder, 'nowhere'), join(folder, 'link'))
    await expect(
      unpackArchive(archiveOf('a.js'), join(folder, 'link'), { files: nodeFiles }),
    ).rejects.toMatchObject({ code: 'config.conflict' })
    expect(readdirSync(folder)).toEqual(['link'])
  })

  test('T46 checks each name again before the first file is written', async () => {
    const files = memoryFiles({})
    const unpacking = unpackArchive(archiveOf('a.js', '../x'), '/bundles/shop', { files })
    await expect(unpacking).rejects.toMatchObject({
      code: 'config.invalid',
      message: '"../x" points outside its folder.',
    })
    expect(files.bytes.size).toBe(0)
  })
})

test('writeBytes: writes a new file, and never over another file or through a link', async () => {
  const folder = temporary()
  const path = join(folder, 'a/b.bin')
  const write = (to: string) => nodeFiles.writeBytes(to, Uint8Array.of(0, 255), { mode: 0o600 })
  await write(path)
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'))
  await expect(write(path)).rejects.toMatchObject({ name: 'FileError', problem: 'io' })
  await expect(write(join(folder, 'link'))).rejects.toMatchObject({ name: 'FileError', problem: 'io' })
  expect([...readFileSync(path)]).toEqual([0, 255])
  expect(readdirSync(folder).sort()).toEqual(['a', 'link'])
})

function archiveOf(...names: readonly string[]) {
  return { files: new Map(names.map((name) => [name, script])), executables: new Set<string>() }
}

function modeOf(mode: number): number {
  return mode * 0x10000
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-archive-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Replaces all occurrences with bytes of the same length: in the local headers and in the directory. */
function replaceBytes(bytes: Uint8Array, was: Uint8Array, is: Uint8Array): Uint8Array {
  const changed = Buffer.from(bytes)
  for (let at = changed.indexOf(was); at >= 0; at = changed.indexOf(was, at + 1)) changed.set(is, at)
  return changed
}

/** Changes an entry of the central directory by hand. */
function patchEntry(
  bytes: Uint8Array,
  name: string,
  patch: (view: DataView, at: number) => void,
): Uint8Array {
  const changed = Buffer.from(bytes)
  const signature = Buffer.from('PK\u0001\u0002')
  const at = changed.lastIndexOf(Buffer.from(name)) - 46
  if (!changed.subarray(at, at + 4).equals(signature)) throw new Error(`${name} is not in the directory`)
  patch(new DataView(changed.buffer, changed.byteOffset, changed.length), at)
  return changed
}

function damage(bytes: Uint8Array): Uint8Array {
  return replaceBytes(bytes, strToU8('hello'), strToU8('jello'))
}
