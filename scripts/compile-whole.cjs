// Writes the V8 code cache of one chunk with all of its functions, without running it: the shim of the gateway would have to be
// connected with a gateway of this account. The flag is taken back first, because a cache fits only the flags it was made with.
const { readFileSync, writeFileSync } = require('node:fs')
const { setFlagsFromString } = require('node:v8')
const { Script } = require('node:vm')

const [, , file] = process.argv
setFlagsFromString('--no-lazy')
const script = new Script(readFileSync(file, 'latin1'), { filename: file })
setFlagsFromString('--lazy')
writeFileSync(file.replace(/cjs$/, 'cache'), script.createCachedData())
