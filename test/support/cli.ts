import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const built = fileURLToPath(new URL('../../dist/cli/plugboard.cjs', import.meta.url))

export interface Result {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A person's machine in a temporary folder: a home, a project in it, and the built command line. */
export interface Machine extends Disposable {
  readonly home: string
  readonly project: string
  write(path: string, content: unknown): string
  read(path: string): string
  run(...args: readonly string[]): Promise<Result>
  runWith(options: RunOptions, ...args: readonly string[]): Promise<Result>
  json(...args: readonly string[]): Promise<unknown>
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly stdin?: string
}

export function createMachine(files: Readonly<Record<string, unknown>> = {}): Machine {
  const root = mkdtempSync(join(tmpdir(), 'plugboard-cli-'))
  const home = join(root, 'home')
  const project = join(home, 'shop')
  mkdirSync(join(project, '.git'), { recursive: true })
  const pathOf = (path: string) => (path.startsWith('~/') ? join(home, path.slice(2)) : join(project, path))
  const machine: Machine = {
    home,
    project,
    write(path, content) {
      const file = pathOf(path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`)
      return file
    },
    read: (path) => readFileSync(pathOf(path), 'utf8'),
    run: (...args) => machine.runWith({}, ...args),
    runWith: ({ env = {}, cwd = project, stdin = '' }, ...args) =>
      new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [built, ...args], {
          cwd,
          env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
          stdio: ['pipe', 'pipe', 'pipe'],
        })
        let stdout = ''
        let stderr = ''
        child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk))
        child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk))
        child.on('error', reject)
        child.on('close', (code) => resolve({ code, stdout, stderr }))
        child.stdin.end(stdin)
      }),
    async json(...args) {
      const { stdout, stderr, code } = await machine.run(...args, '--json')
      try {
        return JSON.parse(stdout)
      } catch {
        throw new Error(`plugboard ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`)
      }
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
  for (const [path, content] of Object.entries(files)) machine.write(path, content)
  return machine
}
