import type Module from 'node:module'

/** The build is CommonJS. Importing `node:module` would also load the ESM loader. */
declare const module: { readonly constructor: typeof Module }

/** Loaded chunks by the specifier that chunks use for each other; resolving a file takes longer than running it. */
const loaded = new Map<string, unknown>()

/**
 * Loads a chunk with the V8 code cache that the build wrote. Node checks that the cache matches its version and the source;
 * if not, the source is compiled as usual.
 */
export function preload(folder: string, chunk: 'start' | 'host'): void {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  const { Script } = process.getBuiltinModule('node:vm')
  const Loader = module.constructor
  const file = `${folder}/chunks/${chunk}.cjs`
  // The build writes ASCII only.
  const script = new Script(readFileSync(file, 'latin1'), {
    filename: file,
    ...cachedData(() => readFileSync(`${folder}/chunks/${chunk}.cache`)),
  })
  const part = new Loader(file)
  const search = Loader.createRequire(file)
  const require = (id: string): unknown => loaded.get(id) ?? search(id)
  part.filename = file
  search.cache[file] = part
  const run = script.runInThisContext() as (...parts: readonly unknown[]) => void // as the build wraps it
  run.call(part.exports, part.exports, require, part, file, `${folder}/chunks`)
  part.loaded = true
  loaded.set(`./${chunk}.cjs`, part.exports)
}

function cachedData(read: () => Buffer): { cachedData?: Buffer } {
  try {
    return { cachedData: read() }
  } catch {
    return {}
  }
}
