/** A process that works under a lock, for tests that need several processes. */
import { readFile, writeFile } from 'node:fs/promises'
import { withLock } from '../../../../src/platform/node/lock.ts'

// A busy machine takes long; these tests are about who holds the lock, not about how long others wait for it.
const waitMs = 600_000
const [path = '', counter = '', timesOrPlace] = process.argv.slice(2)

if (counter === 'forever') {
  const hold = async () => {
    process.stdout.write('held\n')
    await new Promise(() => process.stdin.resume())
  }
  await withLock(path, hold, { waitMs, ...(timesOrPlace !== undefined && { places: [timesOrPlace] }) })
} else {
  // A separate read and write lose counts unless the lock excludes other processes.
  for (let done = 0; done < Number(timesOrPlace); done++) {
    await withLock(
      path,
      async () => {
        const count = Number(await readFile(counter, 'utf8'))
        await writeFile(counter, String(count + 1))
      },
      { waitMs },
    )
  }
  process.stdout.write('done\n')
}
