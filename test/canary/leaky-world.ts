import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { installBrowser } from '../support/browser-program.ts'
import { createMachine, startCli } from '../support/programs/cli.ts'
import type { Machine, ProgramResult } from '../support/programs/cli.ts'
import { startModelServer } from '../support/model-server.ts'
import type { ModelServer } from '../support/model-server.ts'
import { runProgram } from '../support/programs/program.ts'
import type { Program } from '../support/programs/program.ts'
import { noPostgres, startPostgres } from '../support/programs/postgres.ts'
import { ownFile } from '../support/servers.ts'
import { canaries } from './canaries.ts'
import { startLeakyHttp } from './leaky-http.ts'
import type { LeakyHttp } from './leaky-http.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const leakyServer = fileURLToPath(new URL('leaky-server.mjs', import.meta.url))

/** A person whose servers repeat every secret that they get, and a program to run there. */
export interface LeakyWorld extends AsyncDisposable {
  readonly machine: Machine
  readonly env: Readonly<Record<string, string>>
  readonly cli: string
  readonly http: LeakyHttp
  readonly model: ModelServer
  run(this: void, args: readonly string[], options?: RunOptions): Promise<ProgramResult>
  start(this: void, args: readonly string[]): Program
  /** Every file below the home, by its name, but those in which the person or the login store keeps the secret itself. */
  files(this: void): Readonly<Record<string, string>>
  /** Every row of the database as text. */
  rows(this: void): Promise<string>
}

interface RunOptions {
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Files into which the person wrote a secret, and the private file of a login. */
const ownFiles = [/^\.config\/plugboard\/mcp\.json$/, /^secrets\//, /\.secret$/]

export async function createLeakyWorld(cli: string): Promise<LeakyWorld> {
  const http = await startLeakyHttp()
  const model = await startModelServer({ wire: 'openai-chat', key: canaries.modelKey })
  const postgres = noPostgres === undefined ? await startPostgres() : undefined
  const machine = createMachine({
    '~/secrets/file.txt': canaries.file,
    '~/secrets/server.env': `FROM_ENV_FILE='${canaries.envFile}'\n`,
    '~/secrets/print': `#!/bin/sh\ncat <<'END'\n${canaries.command}\nEND\n`,
    '~/.config/plugboard/settings.json': {
      audit: 'values',
      model: 'scripted/one',
      endpoints: { scripted: { kind: 'openai-compatible', url: model.url, key: '${env:MODEL_KEY}' } },
    },
  })
  chmodSync(machine.path('~/secrets/print'), 0o755)
  machine.write('.mcp.json', { mcpServers: projectServersOf(http.origin) })
  machine.write(ownFile, { mcpServers: serversOf(machine, http.origin) }, 0o600)
  const database = await postgres?.createDatabase()
  const env = {
    ...machine.env,
    PATH: `${installBrowser(machine.path('~/bin'))}:${machine.env['PATH']}`,
    PLUGBOARD_CREDENTIALS: 'file',
    HEADER_KEY: canaries.header,
    MODEL_KEY: canaries.modelKey,
    ...(database !== undefined && { PLUGBOARD_DATABASE_URL: withPassword(database) }),
  }
  return {
    machine,
    env,
    cli,
    http,
    model,
    start: (args) => startCli(machine, args, { entry: cli, env, stdin: 'pipe' }),
    run: (args, { stdin = '', env: more } = {}) =>
      runProgram(process.execPath, [cli, ...args], {
        cwd: machine.project,
        env: { ...env, ...more },
        input: stdin,
      }),
    files: () =>
      Object.fromEntries(
        Object.entries(machine.files()).filter(([name]) => !ownFiles.some((own) => own.test(name))),
      ),
    rows: () => (database === undefined ? Promise.resolve('') : readRows(database)),
    async [Symbol.asyncDispose]() {
      machine[Symbol.dispose]()
      await model.stop()
      await http[Symbol.asyncDispose]()
      await postgres?.[Symbol.asyncDispose]()
    },
  }
}

function serversOf(machine: Machine, origin: string) {
  const leaky = { command: process.execPath, args: [leakyServer] }
  return {
    leaky: {
      ...leaky,
      envFile: machine.path('~/secrets/server.env'),
      env: {
        LEAKS: 'API_TOKEN FROM_COMMAND FROM_FILE FROM_ENV_FILE',
        API_TOKEN: canaries.literal,
        FROM_COMMAND: `!${machine.path('~/secrets/print')}`,
        FROM_FILE: `{file:${machine.path('~/secrets/file.txt')}}`,
      },
    },
    shifty: {
      ...leaky,
      env: { LEAKS: 'API_TOKEN', API_TOKEN: canaries.literal, STARTS: machine.path('~/starts') },
    },
    asking: { ...leaky, env: { LEAKS: 'PIN', PIN: '${input:pin}' } },
    remote: {
      type: 'http',
      url: `${origin}/remote?api_key=${encodeURIComponent(canaries.query)}`,
      headers: { 'X-Key': '${env:HEADER_KEY}' },
    },
    broken: { type: 'http', url: `${origin}/broken`, headers: { 'X-Key': '${env:HEADER_KEY}' } },
    vault: {
      type: 'http',
      url: `${origin}/vault`,
      auth: { type: 'oauth', clientId: 'canary', clientSecret: canaries.clientSecret },
    },
  }
}

/** Servers of the project, for its lock file. */
function projectServersOf(origin: string) {
  return {
    team: {
      command: process.execPath,
      args: [leakyServer],
      env: { LEAKS: 'TEAM_KEY', TEAM_KEY: '${HEADER_KEY}' },
    },
    away: { type: 'http', url: `${origin}/broken`, headers: { 'X-Key': '${HEADER_KEY}' } },
  }
}

function withPassword(database: string): string {
  const url = new URL(database)
  url.password = canaries.database
  return url.href
}

async function readRows(database: string): Promise<string> {
  const client = new Client({ connectionString: database })
  await client.connect()
  try {
    const tables = await client.query<{ readonly name: string }>(
      `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
       where table_schema not in ('pg_catalog', 'information_schema')`,
    )
    const texts: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ readonly row: string }>(`select x::text as row from ${name} x`)
      texts.push(...rows.map(({ row }) => row))
    }
    return texts.join('\n')
  } finally {
    await client.end()
  }
}

export interface UnmaskedBuild extends Disposable {
  readonly cli: string
}

/**
 * A copy of the build whose redactor masks nothing. It is made here and nowhere else: no option, variable or build of ours
 * switches masking off.
 */
export function createUnmaskedBuild(): UnmaskedBuild {
  // Below the package, so that its dependencies are found.
  const folder = mkdtempSync(join(root, '.snippets-unmasked-'))
  mkdirSync(join(folder, 'dist'))
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  for (const part of ['cli', 'page'])
    cpSync(join(root, 'dist', part), join(folder, 'dist', part), { recursive: true })
  const chunks = join(folder, 'dist/cli/chunks')
  const file = join(chunks, 'host.cjs')
  writeFileSync(file, withoutMasking(readFileSync(file, 'latin1')), 'latin1')
  // The compiled code belongs to the other source.
  rmSync(join(chunks, 'host.cache'), { force: true })
  return {
    cli: join(folder, 'dist/cli/plugboard.cjs'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** Lets the redactor believe that it knows no secret. */
function withoutMasking(source: string): string {
  const changed = source.replace(/\bregister\((\w+)\)\{(?=if\(!\(\1\.length<8)/, 'register($1){return;')
  if (changed === source) throw new Error('the redactor is not in this chunk')
  return changed
}
