import { expect, test } from 'vitest'
import type { Json } from '../json.ts'
import { describeRunner } from './describe-runner.ts'
import { memoryBytes, readRunner } from './runner.ts'
import type { Runner } from './runner.ts'

test('readRunner: a name alone opens nothing', () => {
  expect(readRunner('bwrap')).toEqual({ kind: 'bwrap', read: [], write: [], network: false })
  expect(readRunner('gvisor')).toEqual({ kind: 'template', name: 'gvisor' })
})

test('readRunner: a container has an image, folders, a network and limits', () => {
  const limits = { memory: '1g', cpus: 0.5, pids: 32 }
  expect(readRunner({ use: 'podman', image: 'node:22', read: ['.'], network: true, ...limits })).toEqual({
    kind: 'podman',
    image: 'node:22',
    read: ['.'],
    write: [],
    network: true,
    ...limits,
  })
})

test.each<[Json, string]>([
  [7, '"runner" must be the name of a runner, or an object with "use".'],
  [{ read: ['.'] }, '"runner" must be the name of a runner, or an object with "use".'],
  ['--privileged', 'The name of a runner has letters, digits, "-" and "_".'],
  [{ use: 'bwrap', memory: '1g' }, 'bwrap cannot limit "memory"; podman and docker can.'],
  [{ use: 'bwrap', options: ['--bind', '/', '/'] }, '"runner" of bwrap has no "options".'],
  [{ use: 'podman', image: 'a', options: ['--privileged'] }, '"runner" of podman has no "options".'],
  [
    { use: 'gvisor', network: true },
    '"gvisor" is a runner of your settings, which decide what it allows: "network" cannot be set here.',
  ],
  [{ use: 'bwrap', network: 'yes' }, '"network" must be true or false.'],
  [{ use: 'bwrap', read: '.' }, '"read" must be a list of folders.'],
  [{ use: 'bwrap', write: ['/'] }, 'The whole file system cannot be opened to a box.'],
  [{ use: 'bwrap', read: ['/proc/1'] }, '/proc/1 cannot be opened to a box.'],
  [{ use: 'bwrap', read: ['/run'] }, '/run cannot be opened to a box.'],
  [{ use: 'bwrap', read: ['/var/run/docker.sock'] }, '/var/run/docker.sock cannot be opened to a box.'],
  [{ use: 'bwrap', read: ['//run//user'] }, '//run//user cannot be opened to a box.'],
  [{ use: 'bwrap', read: ['${HOME}'] }, 'Folders of a box have no placeholders: ${HOME}'],
  [{ use: 'docker' }, '"image" must name the image for docker.'],
  [{ use: 'docker', image: '--privileged' }, '"image" must name the image for docker.'],
  [{ use: 'docker', image: 'a', memory: 'much' }, '"memory" must be a size such as "512m".'],
  [{ use: 'docker', image: 'a', pids: 0.5 }, '"pids" must be a whole number above 0.'],
])('T41 readRunner: %j cannot be applied, and says why', (value, problem) => {
  expect(readRunner(value)).toMatchObject({ problem })
})

test('readRunner: a drive of the person can be opened', () => {
  expect(readRunner({ use: 'bwrap', read: ['/run/media/dana/disk'] })).toMatchObject({
    read: ['/run/media/dana/disk'],
  })
})

test('memoryBytes: sizes with and without a unit', () => {
  expect(['100', '2k', '512m', '1G', '1gb', 'x'].map(memoryBytes)).toEqual([
    100,
    2048,
    512 * 1024 ** 2,
    1024 ** 3,
    1024 ** 3,
    Number.NaN,
  ])
})

const text = (runner: Runner) =>
  describeRunner({ runner }).map((line) => (line.isWarning ? '! ' : '') + line.text)

test('T41 the preview says what a box opens and what its runner cannot limit', () => {
  expect(text({ kind: 'bwrap', read: ['.'], write: ['~'], network: true })).toEqual([
    'It runs in a box (bwrap): the system read-only, an empty home and an empty /tmp that are not kept.',
    'It reads of your folders: ., ~',
    'It writes to: ~',
    '! Look closely: ~ is your whole home folder',
    '! It has the network, and with it the services on this machine (loopback, abstract sockets): bwrap cannot part them.',
    'bwrap limits neither memory nor processors nor the number of processes.',
  ])
  expect(text({ kind: 'bwrap', read: ['~/.ssh'], write: ['.'], network: false })).toEqual(
    expect.arrayContaining([
      '! Look closely: keys are kept in ~/.ssh',
      '! Look closely: in . it can change what runs outside later, such as scripts and Git hooks',
    ]),
  )
  expect(
    text({ kind: 'podman', image: 'node:22', read: [], write: [], network: false, memory: '1g' }),
  ).toEqual([
    'It runs in a container (podman, image node:22), read-only but for an empty /tmp that is not kept.',
    'It sees none of your folders.',
    'It has no network.',
    'Nothing limits its use of processors, its number of processes.',
  ])
  expect(
    text({ kind: 'template', name: 'pod', template: { argv: ['kubectl', '{command}'], env: 'none' } }),
  ).toEqual(['It runs under your runner pod: kubectl {command}', 'What that limits is not known here.'])
  expect(text({ kind: 'template', name: 'pod' })).toEqual([
    '! It asks for the runner pod, which your settings do not have: it does not start.',
  ])
})
