/**
 * A process of another user that tries to hold every name another user's lock could have: the abstract sockets and
 * directories that it can guess, and the names of all sockets that it sees. Prints `ready`; at the end of its input, how
 * much it got.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

const [victim = '', home = '', ...files] = process.argv.slice(2)
const held = new Set<string>()
const intruded: string[] = []

for (const file of files) {
  const hash = createHash('sha256').update(file).digest('hex')
  for (const length of [24, 32, 64]) {
    for (const prefix of ['', 'plugboard-', `plugboard-${victim}-`])
      hold(`\0${prefix}${hash.slice(0, length)}`)
  }
}
attempt(() => mkdirSync(`/tmp/plugboard-locks-${victim}`))
process.stdin.resume().on('end', () => {
  process.stdout.write(`${JSON.stringify({ held: held.size, intruded })}\n`, () => process.exit())
})
process.stdout.write('ready\n')
for (;;) {
  holdWhatIsSeen()
  await new Promise((resolve) => setImmediate(resolve))
}

function holdWhatIsSeen(): void {
  for (const line of readFileSync('/proc/net/unix', 'utf8').split('\n')) {
    const name = line.split(' ').pop() ?? ''
    if (name.includes('plugboard')) hold(name.replace(/^@/, '\0'))
  }
  const directory = join(home, '.local/state/plugboard/locks')
  attempt(() => intruded.push(...readdirSync(directory)))
  attempt(() => {
    writeFileSync(join(directory, 'x'), '')
    intruded.push('x')
  })
}

function hold(address: string): void {
  if (held.has(address)) return
  const server = createServer().on('error', () => held.delete(address))
  server.listen(address, () => held.add(address))
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // It has no access there, which is the point.
  }
}
