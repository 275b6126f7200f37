import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { bytesIn, createStraceReader, descriptorPaths, textsIn } from './strace-calls.ts'
import type { SystemCall } from './strace-calls.ts'

/** As strace writes a text with `-xx`. */
function hex(text: string): string {
  return [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}

function read(...lines: readonly string[]): readonly SystemCall[] {
  const calls: SystemCall[] = []
  const line = createStraceReader((call) => calls.push(call))
  for (const each of lines) line(each)
  return calls
}

test('strace: a call has its thread, name, arguments and result', () => {
  const args = `AT_FDCWD<${hex('/home/dana')}>, "${hex('a.js')}", O_RDONLY|O_CLOEXEC`
  const [call, ...rest] = read(`7 openat(${args}) = 18<${hex('/home/dana/a.js')}>`)
  expect(rest).toEqual([])
  expect(call).toEqual({ thread: 7, name: 'openat', args, result: `18<${hex('/home/dana/a.js')}>` })
  expect(textsIn(args)).toEqual(['a.js'])
  expect(descriptorPaths(args)).toEqual(['/home/dana'])
  expect(descriptorPaths(call?.result ?? '')).toEqual(['/home/dana/a.js'])
})

test('strace: calls that interrupt each other are joined by their threads', () => {
  expect(
    read(
      `7 connect(21<UNIX-STREAM:[377687]>, {sa_family=AF_UNIX, sun_path="${hex('/x')}"}, 110 <unfinished ...>`,
      '8 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD <unfinished ...>',
      '7 <... connect resumed>)            = -1 ENOENT (No such file or directory)',
      '8 <... clone resumed>, child_tidptr=0x7fd8d2273f50) = 9',
      '9 <... openat resumed>) = 3',
    ).map(({ thread, name, result }) => [thread, name, result]),
  ).toEqual([
    [7, 'connect', '-1 ENOENT (No such file or directory)'],
    [8, 'clone', '9'],
  ])
})

test.each([
  '") = 3</etc/shadow>',
  ' <unfinished ...>',
  '\n9 openat(AT_FDCWD, "/etc/shadow", O_RDWR) = 4',
  'a<b>"c\\x41',
  '<... openat resumed>',
  '..',
  '\u202Egpj.exe',
])('strace: the hostile file name %j is read as it is, and is no other call', (name) => {
  const path = `/tmp/${name}`
  const calls = read(`7 openat(AT_FDCWD<${hex('/')}>, "${hex(path)}", O_RDONLY) = 3<${hex(path)}>`)
  expect(calls).toHaveLength(1)
  expect(textsIn(calls[0]?.args ?? '')).toEqual([path])
  expect(descriptorPaths(calls[0]?.result ?? '')).toEqual([path])
})

test('strace: any file name comes back, however calls are interrupted (property)', () => {
  const cases = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 9 }), fc.string({ unit: 'binary' }), fc.boolean()),
  )
  fc.assert(
    fc.property(cases, (given) => {
      const first: string[] = []
      const second: string[] = []
      const open = new Set<number>()
      for (const [thread, name, isInterrupted] of given) {
        const call = `openat(AT_FDCWD<${hex('/')}>, "${hex(name)}", O_RDONLY`
        if (isInterrupted && !open.has(thread)) {
          open.add(thread)
          first.push(`${thread} ${call} <unfinished ...>`)
          second.push(`${thread} <... openat resumed>) = 3<${hex(`/${name}`)}>`)
        } else if (!open.has(thread)) first.push(`${thread} ${call}) = 3<${hex(`/${name}`)}>`)
      }
      const calls = read(...first, ...second)
      expect(calls).toHaveLength(first.length)
      for (const { args, result } of calls) expect(descriptorPaths(result)).toEqual([`/${textsIn(args)[0]}`])
    }),
  )
})

test('strace: any text is read without an error (property)', () => {
  const pieces = fc.constantFrom(
    '7 ',
    'openat(',
    ')',
    ' = ',
    '<unfinished ...>',
    '<... x resumed>',
    '"',
    '\\x41',
    '<',
    '>',
    ',',
    '-1 E',
  )
  fc.assert(
    fc.property(fc.array(fc.array(fc.oneof(pieces, fc.string())).map((parts) => parts.join(''))), (lines) => {
      for (const { args, result, thread } of read(...lines)) {
        expect(Number.isSafeInteger(thread)).toBe(true)
        const found = [...textsIn(args), ...descriptorPaths(result)].join('')
        expect(bytesIn(args).length + found.length).toBeLessThanOrEqual(args.length + result.length)
      }
    }),
  )
})

test('strace: a line of a megabyte is left out, and the next one is read', () => {
  const long = `7 openat(AT_FDCWD, "${'\\x41'.repeat(262_144)}", O_RDONLY) = 3`
  expect(read(long, '7 chdir("\\x2f") = 0').map(({ name }) => name)).toEqual(['chdir'])
})
