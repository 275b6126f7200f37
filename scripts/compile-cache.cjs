// Compiles the command line ahead: `npm run build` runs this with the program and a command to warm it up. What that
// command used of each part goes into the cache that `src/surfaces/cli/preload.ts` reads, besides what was there before.
const { writeFileSync } = require('node:fs')
const vm = require('node:vm')

const [program] = process.argv.splice(2, 1)
const parts = new Map()
vm.Script = class extends vm.Script {
  constructor(code, options) {
    super(code, options)
    parts.set(options.filename, this)
  }
}
process.on('exit', () => {
  for (const [file, part] of parts) writeFileSync(file.replace(/cjs$/, 'cache'), part.createCachedData())
})
process.argv[1] = program
require(program)
