import { expect, test } from 'vitest'
import { bwrapArguments } from './bwrap-arguments.ts'
import { containerArguments, envFileText } from './container-arguments.ts'
import { templateArguments } from './template-arguments.ts'

const golden = (name: string) => new URL(`../../../test/fixtures/runner/${name}`, import.meta.url).pathname

/** One option with its values a line. */
function inLines(args: readonly string[]): string {
  return `${args.join(' ').replaceAll(' -', '\n-')}\n`
}

const folders = [
  { path: '/home/dana/shop', source: '/home/dana/shop', isWritable: false },
  { path: '/home/dana/shop/out', source: '/data/out', isWritable: true },
]

const box = {
  system: [
    { path: '/usr' },
    { path: '/bin', linksTo: '/usr/bin' },
    { path: '/lib64', linksTo: '/usr/lib64' },
  ],
  home: '/home/dana',
  folders,
  hidden: ['/home/dana/.config/plugboard'],
  cwd: '/home/dana/shop',
  env: { API_TOKEN: 'canary', MODE: 'two\nlines' },
}

test('D-20 bwrap: the options of a box without a network', async () => {
  const { args } = bwrapArguments({ ...box, network: false })
  await expect(inLines(args)).toMatchFileSnapshot(golden('bwrap.txt'))
})

test('D-20 bwrap: the options of a box with a network', async () => {
  const { args } = bwrapArguments({ ...box, network: true })
  await expect(inLines(args)).toMatchFileSnapshot(golden('bwrap-network.txt'))
})

test('T35 bwrap: variables are handed over beside the command line, each ended by a NUL', () => {
  const { args, handed } = bwrapArguments({ ...box, network: false })
  expect(handed).toBe('--setenv\0API_TOKEN\0canary\0--setenv\0MODE\0two\nlines\0')
  expect(args.join(' ')).not.toContain('canary')
})

const limited = {
  kind: 'podman',
  image: 'docker.io/library/node:22',
  read: ['.'],
  write: ['out'],
  network: false,
  memory: '512m',
  cpus: 1.5,
  pids: 64,
  options: { engine: ['--runtime', 'runc'], run: ['--ulimit', 'nofile=1024:1024'] },
} as const

const container = {
  folders,
  hidden: [],
  cwd: '/home/dana/shop',
  envFile: '/state/boxes/1/env',
  cidFile: '/state/boxes/1/cid',
  uid: 0,
}

test('D-20 podman: the arguments of a limited container', async () => {
  await expect(inLines(containerArguments(limited, container))).toMatchFileSnapshot(golden('podman.txt'))
})

test('D-20 docker: the arguments of a container with the network and no limits, for a person who is not root', async () => {
  const runner = { kind: 'docker', image: 'node:22', read: [], write: [], network: true } as const
  const args = containerArguments(runner, { ...container, folders: [], uid: 1000 })
  await expect(inLines(args)).toMatchFileSnapshot(golden('docker.txt'))
})

test('T35 containers: variables are lines of a file; a value of several lines does not fit', () => {
  expect(envFileText({ API_TOKEN: 'canary', MODE: '' })).toEqual({ text: 'API_TOKEN=canary\nMODE=\n' })
  expect(envFileText({ A: 'b', KEY: 'two\nlines' }).unfit).toBe('KEY')
  expect(envFileText({ '#A': 'b' }).unfit).toBe('#A')
})

test('D-20 bwrap: the options of a box that opens nothing', async () => {
  const { args } = bwrapArguments({ ...box, folders: [], hidden: [], network: false, env: {} })
  await expect(inLines(args)).toMatchFileSnapshot(golden('bwrap-closed.txt'))
})

test('D-20 podman: the arguments of a container for a person who is not root, with hidden folders', async () => {
  const runner = { kind: 'podman', image: 'node:22', read: [], write: [], network: false } as const
  const args = containerArguments(runner, { ...container, hidden: box.hidden, uid: 1000 })
  await expect(inLines(args)).toMatchFileSnapshot(golden('podman-person.txt'))
})

test('D-20 docker: the arguments of a limited container', async () => {
  const args = containerArguments({ ...limited, kind: 'docker', options: { engine: [], run: [] } }, container)
  await expect(inLines(args)).toMatchFileSnapshot(golden('docker-limited.txt'))
})

test('D-20 a template is an argv around the command; words of the command are never split', async () => {
  const argv = ['kubectl', 'run', '-i', '--rm', 'mcp-{name}', '--image=node:22', '--', '{command}']
  const values = { server: 'My Server!', cwd: '/work', command: ['node', 'a b.js', '{name}'] }
  const args = templateArguments({ argv, env: 'none' }, values)
  await expect(`${args.join('\n')}\n`).toMatchFileSnapshot(golden('template.txt'))
})

test('T04 a template: a folder or name with replacement patterns or other keys stays as it is', () => {
  const argv = ['jail', '--dir={cwd}', '{name}', '{command}']
  const values = { server: "$& $' {cwd}", cwd: "/a/$&/{name}/$'", command: ['x'] }
  expect(templateArguments({ argv, env: 'none' }, values)).toEqual([
    'jail',
    "--dir=/a/$&/{name}/$'",
    'cwd',
    'x',
  ])
})
