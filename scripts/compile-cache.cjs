// Compiles the command line ahead of time. `npm run build` runs this with the program and a command: the functions which
// that command used are added to the V8 code cache of each chunk, which `src/surfaces/cli/preload.ts` reads.
const { writeFileSync } = require('node:fs')
const vm = require('node:vm')

const [program] = process.argv.splice(2, 1)
const parts = new Map()
vm.Script = class extends vm.Script {
  constructor(code, options) {
    super(code, options)
    if (options?.filename) parts.set(options.filename, this)
  }
}
process.on('exit', () => {
  for (const [file, part] of parts) writeFileSync(file.replace(/cjs$/, 'cache'), part.createCachedData())
})
process.argv[1] = program
require(program)
