// Loaded by `node --require` into what is measured: writes the figures of its process into the file BENCH_FIGURES, at its end
// and at each SIGUSR2. With --expose-gc the heap is that after a collection.
const { renameSync, writeFileSync } = require('node:fs')

const file = process.env.BENCH_FIGURES
const write = () => {
  const { user, system } = process.cpuUsage()
  globalThis.gc?.()
  const heapMb = process.memoryUsage().heapUsed / 1e6
  // Renamed, so that nobody reads half of it.
  writeFileSync(`${file}.part`, JSON.stringify({ cpuMs: (user + system) / 1000, heapMb }))
  renameSync(`${file}.part`, file)
}
process.on('SIGUSR2', write)
process.on('exit', write)
