import type Module from 'node:module'
import type { Script } from 'node:vm'
import { acceptsShipped, cacheName, readStoredCode } from './code-cache.ts'
import type { Chunk } from './code-cache.ts'

/** The build is CommonJS. Importing `node:module` would also load the ESM loader. */
declare const module: { readonly constructor: typeof Module; require: (id: string) => unknown }

/** A chunk whose functions are not, or not all, in a cache that this V8 accepts. */
export interface UncachedChunk {
  readonly chunk: Chunk
  readonly script: Script
  /** The name of its cache. */
  readonly name: string
  /** Bits of the commands whose functions are in the cache so far. */
  readonly commands: number
}

/** What `preload` found to be stored. */
export const uncachedChunks: UncachedChunk[] = []

/** Loaded chunks by the specifier that chunks use for each other; resolving a file takes longer than running it. */
const loaded = new Map<string, unknown>()

/**
 * Loads a chunk with compiled code: the V8 code cache that the build wrote or, if this V8 is another one, the cache that an
 * earlier run stored. If V8 rejects it, the source is compiled as usual.
 */
export function preload(folder: string, chunk: Chunk): void {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  const file = `${folder}/chunks/${chunk}.cjs`
  if (module.constructor.createRequire(file).cache[file]) return
  // The build writes ASCII only.
  const source = readFileSync(file, 'latin1')
  if (acceptsShipped()) {
    const script = compile(
      source,
      file,
      tryTo(() => readFileSync(`${folder}/chunks/${chunk}.cache`)),
    )
    if (script.cachedDataRejected === false) {
      run(script, folder, chunk)
      return
    }
  }
  const name = cacheName(chunk)
  const stored = readStoredCode(name)
  const script = compile(source, file, stored?.data)
  run(script, folder, chunk)
  const commands = script.cachedDataRejected === false ? (stored?.commands ?? 0) : 0
  uncachedChunks.push({ chunk, script, name, commands })
}

function compile(source: string, filename: string, cachedData: Buffer | undefined): Script {
  const { Script } = process.getBuiltinModule('node:vm')
  return new Script(source, { filename, ...(cachedData && { cachedData }) })
}

/** Runs a chunk as a CommonJS module. */
function run(script: Script, folder: string, chunk: Chunk): void {
  const Loader = module.constructor
  const file = `${folder}/chunks/${chunk}.cjs`
  const part = new Loader(file)
  const search = Loader.createRequire(file)
  const require = (id: string): unknown => {
    // Not known in advance to be needed: most answers of tools are short.
    if (id === './scanner.cjs') preload(folder, 'scanner')
    return loaded.get(id) ?? search(id)
  }
  part.filename = file
  search.cache[file] = part
  const define = script.runInThisContext() as (...parts: readonly unknown[]) => void // as the build wraps it
  define.call(part.exports, part.exports, require, part, file, `${folder}/chunks`)
  part.loaded = true
  loaded.set(`./${chunk}.cjs`, part.exports)
}

/** The build makes this entry load its chunks through `module.require`, which looks for no `package.json` if one is loaded. */
const requireFile = module.require.bind(module)
module.require = (id) => loaded.get(id.replace('./chunks/', './')) ?? requireFile(id)

function tryTo<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
