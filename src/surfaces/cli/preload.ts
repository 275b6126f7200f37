/**
 * Loads the part of the program that nearly every command needs, from code that was compiled when it was built. Node checks
 * that it fits its own version and the text; where it does not, the text is compiled as usual.
 */
export function preload(folder: string): void {
  const { readFileSync } = process.getBuiltinModule('node:fs')
  const { Script } = process.getBuiltinModule('node:vm')
  const Module = process.getBuiltinModule('node:module')
  const file = `${folder}/chunks/start.cjs`
  const script = new Script(Module.wrap(readFileSync(file, 'utf8')), {
    filename: file,
    ...cachedData(() => readFileSync(`${folder}/chunks/start.cache`)),
  })
  const module = new Module(file)
  module.filename = file
  Module.createRequire(file).cache[file] = module
  const run = script.runInThisContext() as (...parts: readonly unknown[]) => void // what `wrap` makes
  run.call(module.exports, module.exports, Module.createRequire(file), module, file, `${folder}/chunks`)
  module.loaded = true
}

function cachedData(read: () => Buffer): { cachedData?: Buffer } {
  try {
    return { cachedData: read() }
  } catch {
    return {}
  }
}
