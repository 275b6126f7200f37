import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'

const require = createRequire(import.meta.url)

/** Bundles a script of the folder `scripts` to JavaScript, because the oldest supported Node cannot run TypeScript. */
export async function bundleScript(name: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'plugboard-script-'))
  await build({
    input: fileURLToPath(new URL(`scripts/${name}`, import.meta.url)),
    platform: 'node',
    external: ['@napi-rs/keyring', 'libsql', 'pg'],
    resolve: { mainFields: ['module', 'main'] },
    output: {
      dir: directory,
      entryFileNames: 'script.mjs',
      format: 'esm',
      // The script is not below our packages.
      paths: { libsql: require.resolve('libsql'), pg: require.resolve('pg') },
    },
    logLevel: 'silent',
  })
  return join(directory, 'script.mjs')
}

export interface Script {
  readonly child: ChildProcess
  /** The next printed line; `undefined` after the end. */
  nextLine(): Promise<string | undefined>
  /** Closes the input, for which the script waits. */
  go(): void
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
}

interface ScriptOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly uid?: number
}

export function runScript(file: string, args: readonly string[], options: ScriptOptions = {}): Script {
  const { env = {}, uid } = options
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: '/',
    ...(uid !== undefined && { uid, gid: uid }),
  })
  child.stdin.on('error', () => undefined) // a killed process closes its end first
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  return {
    child,
    nextLine: async () => (await lines.next()).value,
    go: () => child.stdin.end(),
    ended,
  }
}
