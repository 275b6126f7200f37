import { isAbsolute, join } from 'node:path'
import { rolldown } from 'rolldown'

const entries = ['index', 'config', 'testing']

/**
 * Modules with all they import, in few files: each one costs whoever loads it a part of a millisecond. The first that
 * asks for a module has it, so that no chunk needs a later one: what runs without sockets and processes loads without
 * them. A test of the public API sees where that no longer holds.
 */
const chunks = {
  // Importing the package, and every host; the last three are asked for late, but by nearly all of them.
  start: ['discover', 'host', 'status', 'presets/default', 'sources/plugboard', 'platform/node/write-files'],
  // What editing and connecting have in common.
  values: ['resolve', 'trust'],
  connect: ['host-parts', 'connections/open-process', 'platform/node/child', 'platform/node/processes'],
  http: ['connections/open-remote', 'platform/node/http'],
}

/** Writes the library of `source` to `folder`; the packages it uses stay outside. */
export async function bundleLibrary({ source, folder }) {
  const file = (name) => join(source, `${name}.ts`)
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, file(name)])),
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
  })
  await bundle.write({
    dir: folder,
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
