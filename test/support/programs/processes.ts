import { mkdtemp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { startProgram } from './program.ts'
import type { Program } from './program.ts'

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

export interface Script extends Program {
  /** Closes the input, for which the script waits. */
  go(): void
}

interface ScriptOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly uid?: number
}

export function runScript(file: string, args: readonly string[], options: ScriptOptions = {}): Script {
  const { env = {}, uid } = options
  const program = startProgram(process.execPath, [file, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: '/', ...env },
    stdin: 'pipe',
    stderr: 'inherit',
    cwd: '/',
    ...(uid !== undefined && { uid, gid: uid }),
  })
  return { ...program, go: program.closeInput }
}
