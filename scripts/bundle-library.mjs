import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { isAbsolute, join } from 'node:path'
import { rolldown } from 'rolldown'
import { checkModules } from './chunks.mjs'
import { modelGroups } from './model-packages.mjs'

/**
 * The chunks of the library: each has these modules with everything they import. Few chunks, because loading each takes a
 * fraction of a millisecond. A module belongs to the first chunk that needs it, so no chunk needs a later one, and code
 * that uses no sockets or processes does not load them. test/public-api.test.ts checks that.
 */
const chunks = {
  // For importing the package and creating a host. The last three are imported on demand, but by nearly every host.
  start: [
    'index',
    'presets/default-preset',
    'sources/clients/plugboard/plugboard',
    'platform/node/write-files',
    'model/abort',
    'model/next-command',
  ],
  // Shared by editing and connecting.
  values: ['config/values/server-resolver', 'config/trust/request-trust'],
  // Tools, also those known from lists on disk, which are offered with nothing running. One chunk, without `values`:
  // nearly every host needs all of it, and each file more takes half a millisecond.
  tools: [
    'host/host-tools',
    'host/check-options',
    'host/secrets/without-secrets',
    'catalog/server-cache',
    'host/server-caches',
    'host/start-times',
    'host/unusable-servers',
    'host/host-capabilities',
    'model/mask-texts',
  ],
  // Apart from `connect`, because an adapter uses framing without a pipe.
  frames: ['wire/frames/frames'],
  connect: [
    'host/make-connection',
    'connections/open-process',
    'platform/node/start-child',
    'platform/node/processes',
  ],
  http: ['connections/open-remote', 'login/logins', 'platform/node/http'],
  // Conversations in memory need no query builder; a store that is opened does.
  conversations: ['store/memory-conversations', 'store/find-conversation'],
  store: ['store/sql-store'],
  // Apart from the host, which needs it only where definitions are accepted or results are marked.
  scan: [
    'scan/scan-offers',
    'scan/scan-text',
    'scan/compare-for-drift',
    'scan/cross/scan-together',
    'scan/config/scan-servers',
  ],
  // The AI SDK, loaded with the first agent.
  'ai-sdk': ['agent/model-step'],
}

/** Packages that are part of the bundle: the others stay dependencies. */
const bundled = ['kysely', 'tokenx']

/** Rooms whose packages are part of the bundle too: `plugboard/agent` needs nothing else installed. */
const bundling = ['agent', 'models']

/** Bundles the library into `dist`, and returns the chunks. */
export async function bundleLibrary(root) {
  checkModules(root, Object.values(chunks).flat())
  const file = (name) => join(root, 'src', `${name}.ts`)
  const bundle = await rolldown({
    input: Object.fromEntries(entriesOf(root).map((name) => [name, file(name)])),
    platform: 'node',
    // Lowers `using`, which Node 20 does not know.
    transform: { target: 'node20' },
    external: (id, importer) => !id.startsWith('.') && !isAbsolute(id) && !isBundled(id, importer),
    // The chunks are listed above, so a dynamic import need not give a module a chunk of its own.
    onLog(level, log, defaultHandler) {
      if (log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') defaultHandler(level, log)
    },
  })
  const { output } = await bundle.write({
    dir: join(root, 'dist'),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    codeSplitting: {
      groups: [
        ...modelGroups.map((group) => ({ ...group, priority: 100 })),
        ...Object.entries(chunks).map(toGroup),
      ],
    },
  })
  await bundle.close()
  return output

  function isBundled(id, importer = '') {
    if (isBuiltin(id)) return false
    if (bundled.includes(id)) return true
    return (
      importer.includes('/node_modules/') ||
      bundling.some((room) => importer.startsWith(join(root, 'src', room, '/')))
    )
  }

  function toGroup([name, modules], index) {
    const files = new Set(modules.map(file))
    return { name, test: (id) => files.has(id), priority: Object.keys(chunks).length - index }
  }
}

/** The entry modules that `exports` of package.json names. */
function entriesOf(root) {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return Object.values(exports).flatMap((entry) => /^\.\/dist\/(.+)\.js$/.exec(entry.default)?.[1] ?? [])
}
