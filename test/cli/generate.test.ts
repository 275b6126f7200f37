import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript-5.6'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Machine } from '../support/programs/cli.ts'
import { everything, machineWith } from '../support/servers.ts'
import { faultyServer } from '../../src/testing/faulty-server.ts'
import { runProgram } from '../support/programs/program.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A server whose names and texts try to become code, and whose tool fails. */
const hostile = faultyServer({
  tools: [
    {
      name: 'delete',
      description: '*/ process.exit(99) /*\n@ts-ignore',
      inputSchema: {
        type: 'object',
        properties: {
          '"]; process.exit(98) //': { type: 'string' },
          json: { type: 'boolean' },
          max_results: {},
        },
      },
    },
    {
      name: '`${process.exit(97)}`',
      inputSchema: JSON.parse('{"type":"object","properties":{"__proto__":{"const":"x"}}}'),
    },
  ],
  on: { 'tools/call': { result: { isError: true, content: [{ type: 'text', text: 'no luck' }] } } },
})

/** A server whose names of tools look like forms of `plugboard call`. */
const names = faultyServer({
  tools: ['x', 'x(message: "1")', 'a=b'].map((name) => ({
    name,
    inputSchema: { type: 'object', properties: { message: { type: 'string' } } },
  })),
})

let machine: Machine

beforeAll(() => {
  machine = machineWith({ everything, hostile, names })
  mkdirSync(machine.path('node_modules'))
  symlinkSync(root, machine.path('node_modules/plugboard'))
  machine.write('package.json', { type: 'module' })
})
afterAll(() => machine[Symbol.dispose]())

/** Runs a file of the project with Node. */
const node = (...args: readonly string[]) =>
  runProgram(process.execPath, args, { cwd: machine.project, env: machine.env })

/** Compiles a module of the project and a script that uses it, against the types of the package. */
async function typecheck(...files: readonly string[]): Promise<string> {
  const flags = ['--ignoreConfig', '--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023']
  const lib = [
    '--lib',
    'es2023,esnext.disposable',
    '--types',
    'node',
    '--typeRoots',
    join(root, 'node_modules/@types'),
  ]
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  return (await node(compiler, ...flags, '--skipLibCheck', ...lib, ...files)).stdout
}

function transpile(file: string): void {
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }
  machine.write(
    file.replace(/ts$/, 'js'),
    ts.transpileModule(machine.read(file), { compilerOptions: options }).outputText,
  )
}

describe('plugboard generate', () => {
  test('writes a module that compiles and calls a real server; generating it again changes no byte', async () => {
    expect(await machine.run('generate', 'everything', '--out', 'everything.ts')).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Wrote \d+ functions to everything\.ts\.\n$/),
      stderr: '',
    })
    const code = machine.read('everything.ts')
    machine.write(
      'use.ts',
      `import { createHost } from 'plugboard'
       import { echo, getStructuredContent, getSum } from './everything.js'
       await using host = await createHost()
       const { text } = await getSum(host, { a: 1, b: 2 })
       // @ts-expect-error: the message is a text
       const wrong = await echo(host, { message: 5 }).catch((error: Error & { code?: string }) => error.code)
       const { structured } = await getStructuredContent(host, { location: 'Chicago' })
       const degrees: number = structured.temperature
       console.log(JSON.stringify([text, wrong, typeof degrees]))`,
    )
    expect(await typecheck('use.ts')).toBe('')
    transpile('everything.ts')
    transpile('use.ts')
    expect(await node('use.js')).toEqual({
      code: 0,
      stdout: '["The sum of 1 and 2 is 3.","call.invalid-args","number"]\n',
      stderr: '',
    })
    expect(await machine.json('generate', 'everything', '--out', 'everything.ts')).toMatchObject({
      changed: false,
    })
    expect((await machine.run('generate', 'everything')).stdout).toBe(code)
  })

  test('T60 a hostile server gets no statement into a module or a program; a failed tool throws', async () => {
    await machine.run('generate', 'hostile', '--out', 'hostile.ts')
    machine.write(
      'use-hostile.ts',
      `import { createHost } from 'plugboard'
       import { delete_ } from './hostile.js'
       await using host = await createHost()
       console.log(await delete_(host).catch((error) => [error.code, error.message]))`,
    )
    expect(await typecheck('use-hostile.ts')).toBe('')
    transpile('hostile.ts')
    transpile('use-hostile.ts')
    expect(await node('use-hostile.js')).toEqual({
      code: 0,
      stdout: "[ 'tool.failed', 'no luck' ]\n",
      stderr: '',
    })
    await machine.run('generate', 'hostile', '--cli', '--out', 'hostile.mjs')
    const help = await node('hostile.mjs', 'help', 'delete')
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain('*/ process.exit(99) /*\n@ts-ignore\n')
    expect(help.stdout).toContain(String.raw`Only with --args: "\"]; process.exit(98) //"`)
    expect(await node('hostile.mjs', 'delete', '--json', '--max-results', '5')).toEqual({
      code: 10,
      stdout: 'no luck\n',
      stderr: '"delete" reported a failure.\n',
    })
    expect((await node('hostile.mjs', '--json', 'delete')).stdout).toContain('"isError": true')
  })

  test('T60 a program calls the tool of its command, whatever the names of tools look like', async () => {
    await machine.run('generate', 'names', '--cli', '--out', 'names.mjs')
    for (const [command, name] of [
      ['x-message-1', 'x(message: "1")'],
      ['a-b', 'a=b'],
    ] as const)
      expect(await node('names.mjs', command, '--message', 'hi')).toEqual({
        code: 0,
        stdout: `${JSON.stringify({ name, arguments: { message: 'hi' } })}\n`,
        stderr: '',
      })
  })

  test('--cli writes a program with a command for each tool', async () => {
    expect(await machine.run('generate', 'everything', '--cli', '--out', 'bin/everything.mjs')).toMatchObject(
      { code: 0 },
    )
    expect(machine.mode('bin/everything.mjs')).toBe(0o755)
    const program = (...words: readonly string[]) => node('bin/everything.mjs', ...words)
    expect((await program('--help')).stdout).toContain('  get-sum                         Returns the sum')
    expect((await program('get-sum', '--help')).stdout).toContain('--a NUMBER  First number')
    expect(await program('get-sum', '--a', '-2', '--b=3')).toEqual({
      code: 0,
      stdout: 'The sum of -2 and 3 is 1.\n',
      stderr: '',
    })
    expect(await program('get-sum', '--a', '1')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'get-sum needs --b.\nSee: everything.mjs get-sum --help\n',
    })
    expect(await program('get-sum', '1', '2')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        '"1" is not an argument.\nWrite arguments as flags: everything.mjs get-sum --a NUMBER --b NUMBER\n',
    })
    expect(await program('get-sum', '--args', '{"a": 1, "b": "x"}')).toMatchObject({ code: 2 })
    expect(await program('get-smu')).toMatchObject({ code: 2, stderr: expect.stringContaining('get-sum?') })
    expect(await program('echo', '--massage', 'x')).toMatchObject({
      code: 2,
      stderr: 'There is no flag "--massage".\nDid you mean --message?\n',
    })
  })

  test('keeps a file that was not generated, and says why nothing was generated', async () => {
    machine.write('mine.ts', 'export const mine = 1\n')
    expect(await machine.run('generate', 'everything', '--out', 'mine.ts', '--no-start')).toMatchObject({
      code: 2,
      stderr:
        'mine.ts was not generated; it was not changed.\nChoose another file, or replace it with --force.\n',
    })
    expect(machine.read('mine.ts')).toBe('export const mine = 1\n')
    expect(await machine.run('generate', 'nothing')).toMatchObject({ code: 5 })
  })

  test('a program does not replace a module without --force', async () => {
    const words = ['generate', 'hostile', '--no-start', '--out', 'kind.ts']
    await machine.run(...words)
    const code = machine.read('kind.ts')
    expect(await machine.run(...words, '--cli')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^kind\.ts is a generated module, not a program; it was not changed\.\n/),
    })
    expect(machine.read('kind.ts')).toBe(code)
    expect(await machine.run(...words, '--cli', '--force')).toMatchObject({ code: 0 })
  })
})
