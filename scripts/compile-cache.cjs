// Compiles the start of the command line ahead: `npm run build` runs this with the program and a command to warm it up.
// What that command used goes into the cache that `src/surfaces/cli/preload.ts` reads.
const { writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')
const vm = require('node:vm')

const [program] = process.argv.splice(2, 1)
let start
vm.Script = class extends vm.Script {
  constructor(...parts) {
    super(...parts)
    start = this
  }
}
process.on('exit', () =>
  writeFileSync(join(dirname(program), 'chunks/start.cache'), start.createCachedData()),
)
process.argv[1] = program
require(program)
