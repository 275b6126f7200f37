// Loaded with `node --require`: when the process ends, writes which chunks of the command line it has loaded.
const { writeFileSync } = require('node:fs')
const path = require('node:path')

process.once('exit', () => {
  const chunks = Object.keys(require.cache).filter((file) =>
    /[\\/]cli[\\/]chunks[\\/][^\\/]+\.cjs$/.test(file),
  )
  writeFileSync(
    process.env.LOADED_CHUNKS,
    JSON.stringify(chunks.map((file) => path.basename(file, '.cjs')).sort()),
  )
})
