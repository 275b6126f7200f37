import { randomInt } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/** Below the ports that systems give to outgoing connections. */
const [least, most] = [20_000, 32_767]
const tries = 5

/** Beside the file with the address. */
function portFile(addressFile: string): string {
  return join(dirname(addressFile), 'serve-port')
}

/**
 * The ports to try, the person's own first: chosen at random once, and kept. A browser keeps service workers and storage for
 * an address after its program has ended, so a port that many programs use by default would be theirs before it is ours (T36).
 */
export async function ownPorts(addressFile: string): Promise<readonly number[]> {
  const kept = Number(await readFile(portFile(addressFile), 'utf8').catch(() => ''))
  const others = Array.from({ length: tries }, () => randomInt(least, most + 1))
  return [...(Number.isInteger(kept) && kept >= 1024 && kept <= 65_535 ? [kept] : []), ...others, 0]
}

/** Keeps the port for the next start. Without it, that one takes another port. */
export async function keepPort(addressFile: string, port: number): Promise<void> {
  await writeFile(portFile(addressFile), `${port}\n`, { mode: 0o600 }).catch(() => undefined)
}
