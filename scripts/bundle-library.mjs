import { readFileSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { rolldown } from 'rolldown'
import { checkModules } from './chunks.mjs'

/**
 * Modules with all they import, in few files: each one costs whoever loads it a part of a millisecond. The first that
 * asks for a module has it, so that no chunk needs a later one: what runs without sockets and processes loads without
 * them. A test of the public API sees where that no longer holds.
 */
const chunks = {
  // Importing the package, and every host; the last three are asked for late, but by nearly all of them.
  start: [
    'index',
    'presets/default-preset',
    'sources/clients/plugboard/plugboard',
    'platform/node/write-files',
  ],
  // What editing and connecting have in common.
  values: ['config/values/server-resolver', 'config/trust/request-trust'],
  // What is known of servers from disk: tools are offered with nothing running.
  known: ['catalog/server-cache', 'host/unusable-servers', 'host/host-capabilities', 'model/mask-texts'],
  // What an adapter does with them needs no pipe.
  frames: ['wire/frames/frames'],
  connect: [
    'host/make-connection',
    'connections/open-process',
    'platform/node/start-child',
    'platform/node/processes',
  ],
  http: ['connections/open-remote', 'login/logins', 'platform/node/http'],
}

/** Writes the library to `dist`; the packages it uses stay outside. */
export async function bundleLibrary(root) {
  checkModules(root, Object.values(chunks).flat())
  const file = (name) => join(root, 'src', `${name}.ts`)
  const bundle = await rolldown({
    input: Object.fromEntries(entriesOf(root).map((name) => [name, file(name)])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
  })
  await bundle.write({
    dir: join(root, 'dist'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: { groups: Object.entries(chunks).map(toGroup) },
  })
  await bundle.close()

  function toGroup([name, modules], index) {
    const files = new Set(modules.map(file))
    return { name, test: (id) => files.has(id), priority: Object.keys(chunks).length - index }
  }
}

/** What package.json offers, by the names of their modules. */
function entriesOf(root) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.values(exports).flatMap((entry) => /^\.\/dist\/(.+)\.js$/.exec(entry.default)?.[1] ?? [])
}
