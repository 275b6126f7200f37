import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ObservedRun } from './observed-run.ts'
import { proposeBox, writtenFolder } from './propose-box.ts'

const home = '/home/dana'
const project = `${home}/shop`
const context = {
  home,
  cwd: project,
  folder: project,
  ignored: [`${home}/.config/plugboard`],
  programs: [],
  named: [],
}
const nothing: ObservedRun = { files: new Map(), programs: [], hosts: [], sockets: [], isCut: false }

function propose(files: Readonly<Record<string, 'read' | 'written'>>, more: Partial<ObservedRun> = {}) {
  const { read, write, network, missing } = proposeBox(
    { ...nothing, files: new Map(Object.entries(files)), ...more },
    { ...context, programs: more.programs ?? [] },
  )
  const folders = (list: typeof read) => list.map(({ folder }) => writtenFolder(folder, context))
  return { read: folders(read), write: folders(write), network, missing }
}

test('box: what every box has is not opened again; nothing used opens nothing', () => {
  expect(
    propose({
      '/usr/lib/node_modules/npm/index.js': 'read',
      '/etc/hosts': 'read',
      '/proc/7/maps': 'read',
      '/tmp/scratch': 'written',
      [`${home}/.config/plugboard/settings.json`]: 'read',
    }),
  ).toEqual({ read: [], write: [], network: false, missing: [] })
})

test('box: files are opened by their folder, packages by node_modules, and a written folder is not read again', () => {
  expect(
    propose({
      [`${project}/src/a.js`]: 'read',
      [`${project}/src/deep/b.js`]: 'read',
      [`${project}/node_modules/x/index.js`]: 'read',
      [`${project}/node_modules/y/lib/z.js`]: 'read',
      [`${project}/out/log`]: 'written',
      [`${project}/out/old`]: 'read',
      '/srv/data/1': 'read',
    }),
  ).toEqual({
    read: ['node_modules', 'src', '/srv/data'],
    write: ['out'],
    network: false,
    missing: [],
  })
})

test('box: the home folder and the project are not opened whole for a file in them', () => {
  expect(
    propose({
      [`${home}/.gitconfig`]: 'read',
      [home]: 'read',
      [`${project}/package.json`]: 'read',
      [`${home}/.cache.json`]: 'written',
    }),
  ).toEqual({
    read: ['~/.gitconfig', 'package.json'],
    write: [],
    network: false,
    missing: [`It wrote ${home}/.cache.json, which no folder of a box should open.`],
  })
})

test('box: a program outside of the system is opened with its installation, never with the home folder', () => {
  const programs = [`${home}/.nvm/v22/bin/node`, `${home}/bin/tool`, '/usr/bin/git']
  expect(propose({}, { programs }).read).toEqual(['~/.nvm/v22', '~/bin/tool'])
})

test('box: what arguments name is opened, also if nothing in it was; the home folder is not', () => {
  const named = [`${project}/data`, home, '/usr/share', `${home}/notes.md`]
  const { read, missing } = proposeBox(nothing, { ...context, named })
  expect(read.map(({ folder }) => folder)).toEqual([`${home}/notes.md`, `${project}/data`])
  expect(missing).toEqual([`It read ${home}, which no folder of a box should open.`])
  const listed = { ...nothing, files: new Map([[project, 'read' as const]]) }
  const whole = proposeBox(listed, { ...context, named: [project] })
  expect(whole.read.map(({ folder }) => writtenFolder(folder, context))).toEqual(['.'])
})

test('box: a program that the entry names below /tmp is opened with its folder; other temporary files are not', () => {
  const run = {
    ...nothing,
    files: new Map([
      ['/tmp/tool/main.mjs', 'read' as const],
      ['/tmp/tool/lib.mjs', 'read' as const],
      ['/tmp/scratch/a', 'written' as const],
    ]),
  }
  const { read, write } = proposeBox(run, { ...context, named: ['/tmp/tool/main.mjs', '/tmp/alone.json'] })
  expect({ read: read.map(({ folder }) => folder), write }).toEqual({
    read: ['/tmp/alone.json', '/tmp/tool'],
    write: [],
  })
})

test('box: hosts open the network; sockets and odd names are said', () => {
  const run = { hosts: [{ address: '127.0.0.1', port: 1 }], sockets: ['/run/dbus/socket'] }
  expect(propose({ '/srv/a\nb/c': 'read', '/run/user/1/x': 'read', '/srv/${HOME}/c': 'read' }, run)).toEqual({
    read: [],
    write: [],
    network: true,
    missing: [
      'It read /srv/a\nb/c, which no folder of a box should open.',
      'It read /run/user/1/x, which no folder of a box should open.',
      'It read /srv/${HOME}/c, which no folder of a box should open.',
      'It connected to the socket /run/dbus/socket, which a box does not have.',
    ],
  })
})

test('box: many folders side by side are opened by the one around them', () => {
  const files = Object.fromEntries(
    Array.from({ length: 9 }, (_, index) => [`/srv/data/${index}/f`, 'read'] as const),
  )
  expect(propose(files).read).toEqual(['/srv/data'])
})

test('box: every file that was used is in an opened folder, or is said (property)', () => {
  const part = fc.constantFrom('a', 'b', 'c-d', 'c', 'node_modules', '.x', 'bin')
  const path = fc
    .tuple(fc.constantFrom('/srv', home, project, '/opt'), fc.array(part, { minLength: 1, maxLength: 4 }))
    .map(([root, parts]) => [root, ...parts].join('/'))
  const use = fc.constantFrom('read' as const, 'written' as const)
  fc.assert(
    fc.property(fc.dictionary(path, use, { maxKeys: 40 }), (files) => {
      const box = proposeBox({ ...nothing, files: new Map(Object.entries(files)) }, context)
      const isIn = (file: string, folders: typeof box.read) =>
        folders.some(({ folder }) => file === folder || file.startsWith(`${folder}/`))
      const isAbove = (file: string) => [home, project].some((each) => `${each}/`.startsWith(`${file}/`))
      for (const [file, how] of Object.entries(files)) {
        if (isAbove(file) || box.missing.some((text) => text.includes(file)) || box.missing.length === 20)
          continue
        expect(how === 'written' ? isIn(file, box.write) : isIn(file, [...box.read, ...box.write])).toBe(true)
      }
      for (const { folder } of [...box.read, ...box.write]) expect(isAbove(folder)).toBe(false)
    }),
  )
})
