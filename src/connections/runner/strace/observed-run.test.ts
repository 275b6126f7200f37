import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { readDnsAnswer } from './dns-answers.ts'
import { createObserver } from './observed-run.ts'

function hex(text: string | Uint8Array): string {
  return [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}

const opened = (path: string, flags = 'O_RDONLY') =>
  `openat(AT_FDCWD<${hex('/shop')}>, "${hex(path)}", ${flags}) = 3<${hex(path)}>`

function observe(lines: readonly string[], first: 'server' | 'launcher' | 'box' = 'server') {
  const observer = createObserver({ cwd: '/shop', first })
  for (const line of lines) observer.line(line)
  const { files, ...rest } = observer.finish()
  return { files: Object.fromEntries(files), ...rest }
}

/** An answer of DNS with one address. */
function answer(name: string, type: 1 | 28, address: readonly number[]): Uint8Array {
  const labels = name.split('.').flatMap((part) => [part.length, ...Buffer.from(part)])
  const head = [0x87, 0x44, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]
  const question = [...labels, 0, 0, type, 0, 1]
  const record = [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 60, 0, address.length, ...address]
  return Uint8Array.from([...head, ...question, ...record])
}

test('observe: files that were opened count, those that were looked for do not', () => {
  expect(
    observe([
      `7 ${opened('/shop/a.js')}`,
      `7 ${opened('/shop/log', 'O_WRONLY|O_CREAT|O_APPEND|O_CLOEXEC, 0666')}`,
      `7 openat(AT_FDCWD<${hex('/shop')}>, "${hex('/home/dana/.netrc')}", O_RDONLY) = -1 ENOENT (No such file or directory)`,
      `7 execve("${hex('/usr/bin/git')}", ["${hex('git')}"], 0x1 /* 3 vars */) = 0`,
    ]),
  ).toEqual({
    files: { '/shop/a.js': 'read', '/shop/log': 'written', '/usr/bin/git': 'read' },
    programs: ['/usr/bin/git'],
    hosts: [],
    sockets: [],
    isCut: false,
  })
})

test('observe: a file that was written and read counts as written, in either order', () => {
  const lines = [`7 ${opened('/shop/a', 'O_RDWR|O_CREAT, 0666')}`, `7 ${opened('/shop/a')}`]
  expect(observe(lines).files).toEqual({ '/shop/a': 'written' })
  expect(observe([...lines].reverse()).files).toEqual({ '/shop/a': 'written' })
})

test('observe: relative names follow the working directory of their process, in all of its threads', () => {
  expect(
    observe([
      `7 clone3({flags=CLONE_VM|CLONE_THREAD} => {parent_tid=[8]}, 88) = 8`,
      `7 clone(child_stack=NULL, flags=SIGCHLD) = 9`,
      `8 chdir("${hex('sub')}") = 0`,
      `7 rename("${hex('a')}", "${hex('b')}") = 0`,
      `9 unlink("${hex('c')}") = 0`,
    ]).files,
  ).toEqual({ '/shop/sub/a': 'written', '/shop/sub/b': 'written', '/shop/c': 'written' })
})

test('observe: what a launcher itself does is left out, also in its threads', () => {
  const lines = [
    `7 ${opened('/home/dana/.npmrc')}`,
    '7 clone3({flags=CLONE_VM|CLONE_THREAD}, 88) = 8',
    '7 clone(child_stack=NULL, flags=SIGCHLD) = 9',
    `8 ${opened('/home/dana/.npm/_logs/1', 'O_WRONLY|O_CREAT, 0666')}`,
    `9 ${opened('/shop/data')}`,
  ]
  expect(observe(lines, 'launcher').files).toEqual({ '/shop/data': 'read' })
  expect(Object.keys(observe(lines).files)).toHaveLength(3)
})

test('observe: what makes a box is left out; threads in it are found by their numbers outside', () => {
  const exec = (program: string) => `execve("${hex(program)}", ["${hex(program)}"], 0x1 /* 3 vars */) = 0`
  const { files } = observe(
    [
      `7 ${exec('/usr/bin/bwrap')}`,
      `7 mkdir("${hex('/newroot')}", 0755) = 0`,
      '7 clone(child_stack=NULL, flags=CLONE_NEWNS|CLONE_NEWPID|SIGCHLD) = 8',
      `8 chdir("${hex('/home/dana/shop')}") = 0`,
      `8 ${exec('/usr/bin/node')}`,
      "8 clone3({flags=CLONE_VM|CLONE_THREAD}, 88) = 3 /* 9 in strace's PID NS */",
      `9 rename("${hex('a')}", "${hex('b')}") = 0`,
    ],
    'box',
  )
  expect(files).toEqual({
    '/usr/bin/node': 'read',
    '/home/dana/shop/a': 'written',
    '/home/dana/shop/b': 'written',
  })
})

test('observe: hosts have the name that DNS gave their address; lookups are no hosts', () => {
  const connect = (fd: string, address: string, port: number) =>
    address.includes(':')
      ? `connect(20<${fd}>, {sa_family=AF_INET6, sin6_port=htons(${port}), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "${hex(address)}", &sin6_addr), sin6_scope_id=0}, 28)`
      : `connect(20<${fd}>, {sa_family=AF_INET, sin_port=htons(${port}), sin_addr=inet_addr("${hex(address)}")}, 16)`
  const received = (bytes: Uint8Array) =>
    `recvfrom(20<UDP:[192.0.2.2:43901->192.0.2.53:53]>, "${hex(bytes)}", 2048, 0, NULL, NULL) = ${bytes.length}`
  const { hosts, sockets } = observe([
    `8 ${connect('UDP:[1]', '192.0.2.53', 53)} = 0`,
    `8 ${received(answer('api.example.test', 1, [198, 51, 100, 7]))}`,
    `8 ${received(answer('v6.example.test', 28, [0x20, 1, 0xd, 0xb8, ...Array.from({ length: 11 }, () => 0), 7]))}`,
    `8 ${connect('UDP:[2]', '198.51.100.7', 0)} = 0`,
    `7 ${connect('TCP:[3]', '198.51.100.7', 443)} = -1 EINPROGRESS (Operation now in progress)`,
    `7 ${connect('TCPv6:[4]', '2001:db8::7', 443)} = -1 EINPROGRESS (Operation now in progress)`,
    `7 ${connect('TCP:[5]', '127.0.0.1', 5432)} = 0`,
    `7 connect(9<UNIX-STREAM:[6]>, {sa_family=AF_UNIX, sun_path="${hex('/run/dbus')}"}, 110) = 0`,
    `7 connect(9<UNIX-STREAM:[7]>, {sa_family=AF_UNIX, sun_path=@"${hex('/tmp/.X11-unix/X0')}"}, 20) = 0`,
    `7 connect(9<UNIX-STREAM:[8]>, {sa_family=AF_UNIX, sun_path="${hex('/var/run/nscd/socket')}"}, 110) = -1 ENOENT (No such file or directory)`,
  ])
  expect(hosts).toEqual([
    { name: 'api.example.test', address: '198.51.100.7', port: 443 },
    { name: 'v6.example.test', address: '2001:db8::7', port: 443 },
    { address: '127.0.0.1', port: 5432 },
  ])
  expect(sockets).toEqual(['/run/dbus', '@/tmp/.X11-unix/X0'])
})

test('observe: more files than are kept are said, not kept', () => {
  const lines = Array.from({ length: 20_001 }, (_, index) => `7 ${opened(`/shop/${index}`)}`)
  const { files, isCut } = observe(lines)
  expect([Object.keys(files).length, isCut]).toEqual([20_000, true])
})

test('dns: any bytes are read without an error; a name never has other characters than those of hosts (property)', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 600 }),
    fc.uint8Array({ maxLength: 40 }).map((rest) => {
      const whole = answer('a.test', 1, [1, 2, 3, 4])
      return Uint8Array.from([...whole.slice(0, whole.length - rest.length), ...rest])
    }),
  )
  fc.assert(
    fc.property(bytes, (message) => {
      for (const [address, name] of readDnsAnswer(message))
        expect([address, name]).toEqual([
          expect.stringMatching(/^[\d.]+$|^[\da-f:]+$/),
          expect.stringMatching(/^[\w.-]+$/),
        ])
    }),
  )
})
