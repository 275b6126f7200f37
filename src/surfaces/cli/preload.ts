import type Module from 'node:module'

/** Built, this is CommonJS. To ask for `node:module` would load the loader of the other kind as well. */
declare const module: { readonly constructor: typeof Module }

/** What is loaded, as the parts of the program name it to each other: looking for a file takes longer than running it. */
const loaded = new Map<string, unknown>()

/**
 * Loads a part of the program from code that was compiled when it was built. Node checks that it fits its own version and
 * the text; where it does not, the text is compiled as usual.
 */
export function preload(folder: string, chunk: 'start' | 'host'): void {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  const { Script } = process.getBuiltinModule('node:vm')
  const Loader = module.constructor
  const file = `${folder}/chunks/${chunk}.cjs`
  // The build left nothing but ASCII in it.
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
