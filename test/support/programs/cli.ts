import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cliFile, runCommandLine } from './command-line.ts'
import { parseChecked } from '../json-schema.ts'
import { runProgram, startProgram } from './program.ts'
import type { Program, ProgramOptions, ProgramResult } from './program.ts'

export { cliFile } from './command-line.ts'
export type { ProgramResult } from './program.ts'

/** A person's machine in a temporary folder: a home, a project in it, and the built command line. */
export interface Machine extends Disposable {
  readonly home: string
  readonly project: string
  readonly env: Readonly<Record<string, string>>
  /** `~/x` is in the home, everything else in the project. */
  path(path: string): string
  write(path: string, content: unknown, mode?: number): string
  read(path: string): string
  has(path: string): boolean
  mode(path: string): number
  /** All files of the home with their content, to compare before and after a command. */
  files(): Readonly<Record<string, string>>
  run(...args: readonly string[]): Promise<ProgramResult>
  runWith(options: RunOptions, ...args: readonly string[]): Promise<ProgramResult>
  /**
   * The fields of the document that a command prints with `--json`, whatever its exit code. The document is checked against
   * its schema; its version is left out.
   */
  json<Value = unknown>(...args: readonly string[]): Promise<Value>
}

interface MachineOptions {
  /** `dist` starts the built command line as a process of its own. */
  readonly from?: 'source' | 'dist'
}

interface RunOptions extends MachineOptions {
  /** Options of Node, for the built command line. */
  readonly nodeArgs?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly stdin?: string | Uint8Array
  /** Runs as another user, for tests of permissions. */
  readonly uid?: number
}

export interface ListOutput {
  readonly servers: readonly (Readonly<Record<string, unknown>> & { readonly name: string })[]
  readonly shadowed: readonly Readonly<Record<string, unknown>>[]
  readonly diagnostics: readonly (Readonly<Record<string, unknown>> & {
    readonly code: string
    readonly severity: string
    readonly message: string
  })[]
}

export function createMachine(
  files: Readonly<Record<string, unknown>> = {},
  { from = 'source' }: MachineOptions = {},
): Machine {
  const root = mkdtempSync(join(tmpdir(), 'plugboard-cli-'))
  chmodSync(root, 0o755)
  const home = join(root, 'home')
  const project = join(home, 'shop')
  mkdirSync(join(project, '.git'), { recursive: true })
  const env = { PATH: process.env['PATH'] ?? '', HOME: home }
  const path = (name: string) => (name.startsWith('~/') ? join(home, name.slice(2)) : join(project, name))
  const machine: Machine = {
    home,
    project,
    env,
    path,
    write(name, content, mode = 0o644) {
      const file = path(name)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, textOf(content), { mode })
      chmodSync(file, mode)
      return file
    },
    read: (name) => readFileSync(path(name), 'utf8'),
    has: (name) => existsSync(path(name)),
    mode: (name) => statSync(path(name)).mode & 0o777,
    files: () => filesIn(home),
    run: (...args) => machine.runWith({}, ...args),
    runWith: (options, ...args) => run(args, { from, ...options, env: { ...env, ...options.env } }, project),
    async json<Value>(...args: readonly string[]): Promise<Value> {
      const result = await machine.run(...args, '--json')
      return fieldsOf(args, result) as Value // the caller knows what the command prints
    },
    // A program that has not ended yet may write into it.
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  }
  for (const [name, content] of Object.entries(files)) machine.write(name, content)
  return machine
}

function textOf(content: unknown): string | Uint8Array {
  if (typeof content === 'string' || content instanceof Uint8Array) return content
  return `${JSON.stringify(content, null, 2)}\n`
}

async function run(args: readonly string[], options: RunOptions, project: string): Promise<ProgramResult> {
  const { env = {}, cwd = project, stdin = '', uid, from = 'source', nodeArgs = [] } = options
  if (from === 'source' && uid === undefined) return runCommandLine(args, { env, cwd, stdin })
  const result = await runProgram(process.execPath, [...nodeArgs, cliFile, ...args], {
    cwd,
    env,
    input: stdin,
    ...(uid !== undefined && { uid, gid: uid }),
  })
  if (/failed unexpectedly|node:internal/.test(result.stderr))
    throw new Error(`${args.join(' ')}: ${result.stderr}`)
  return result
}

/** Starts the built command line in the project. */
export function startCli(
  { env, project }: Pick<Machine, 'env' | 'project'>,
  args: readonly string[],
  options: ProgramOptions & { readonly entry?: string } = {},
): Program {
  const { entry = cliFile, ...rest } = options
  return startProgram(process.execPath, [entry, ...args], {
    cwd: project,
    ...rest,
    env: { ...env, ...rest.env },
  })
}

function fieldsOf(args: readonly string[], { stdout, stderr, code }: ProgramResult): object {
  try {
    parseChecked(args, stdout)
    return parseDocument(stdout)
  } catch (error) {
    throw new Error(`plugboard ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`, { cause: error })
  }
}

/** Parses one JSON document and returns its fields without the version. */
export function parseDocument(text: string): object {
  const { version, ...fields } = JSON.parse(text) as { readonly version?: unknown } // checked in the next line
  if (version !== 1) throw new Error(`not a document of version 1: ${text}`)
  return fields
}

function filesIn(root: string, folder = ''): Readonly<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const name = join(folder, entry.name)
    // On another Node than the build's, commands store compiled code here.
    if (name === join('.cache', 'plugboard', 'code')) continue
    if (entry.isDirectory()) Object.assign(found, filesIn(root, name))
    else if (entry.isFile()) found[name] = readFileSync(join(root, name), 'latin1')
  }
  return found
}
