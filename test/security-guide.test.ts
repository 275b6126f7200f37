import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cliFile } from './support/programs/cli.ts'
import { runProgram } from './support/programs/program.ts'
import { noBwrap } from './support/programs/runners.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const guide = readFileSync(join(root, 'docs/guide/security.md'), 'utf8')

interface Step {
  readonly command: string
  /** What the guide shows; `…` stands for anything. */
  readonly shown: string
}

/** The commands of the `console` blocks of a section, each with the output below it. */
function stepsOf(section: string): readonly Step[] {
  const blocks = [...section.matchAll(/^```console\n(.*?)^```$/gms)].map(([, block = '']) => block)
  return blocks
    .join('')
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [first = '', ...rest] = part.replace(/\n$/, '').split('\n')
      const more = rest.findIndex((line) => !line.startsWith('> '))
      const continued = rest.slice(0, more === -1 ? rest.length : more)
      return {
        command: [first, ...continued.map((line) => line.slice(2))].join('\n'),
        shown: rest.slice(continued.length).join('\n'),
      }
    })
}

const [start = '', ...sections] = guide.split(/^## /m)
const mark = '@@end-of-step@@'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plugboard-security-'))
  mkdirSync(join(folder, 'bin'))
  // As npm installs them: a box opens no folder that is a link to another one.
  for (const server of ['hostile-server', 'thief-server'])
    cpSync(join(root, 'dist', server), join(folder, 'lab/work/node_modules/plugboard/dist', server), {
      recursive: true,
    })
  writeFileSync(join(folder, 'bin/plugboard'), `#!/bin/sh\nexec "${process.execPath}" "${cliFile}" "$@"\n`, {
    mode: 0o755,
  })
  // The package is there already.
  writeFileSync(join(folder, 'bin/npm'), '#!/bin/sh\n', { mode: 0o755 })
})
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

/** Runs the steps in one shell, as a reader does, and returns the output of each. */
async function runSteps(steps: readonly Step[]): Promise<readonly string[]> {
  const script = steps
    .map(({ command }) => `${command}\n__code=$?; echo "${mark}"; (exit $__code)`)
    .join('\n')
  const { stdout } = await runProgram('bash', ['-c', `exec 2>&1\n${script}`], {
    cwd: folder,
    env: { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, HOME: folder, TERM: 'dumb' },
  })
  return stdout.split(`${mark}\n`).slice(0, -1)
}

/** A pattern of a command with what it shows: `…` within a line is anything there, alone on a line any lines. */
function toPattern({ command, shown }: Step): RegExp {
  const lines = shown
    .split('\n')
    .map((line) => (line.trim() === '…' ? '(?:.*\n)*?' : `${line.split('…').map(escape).join('.*')}\n`))
  return new RegExp(`^${escape(`$ ${command}`)}\n${lines.join('')}$`)
}

describe('docs/guide/security.md', () => {
  test.each(sections.map((section) => [section.split('\n')[0] ?? '', section] as const))(
    '%s',
    { timeout: 240_000 },
    async (title, section) => {
      // Sections build on one another in one home; the commands before them only set it up.
      const before = stepsOf(start)
      const steps = title.includes('box') && noBwrap !== '' ? [] : stepsOf(section)
      const outputs = (await runSteps([...before, ...steps])).slice(before.length)
      expect(outputs).toHaveLength(steps.length)
      const results = steps.map((step, at) => ({ step, result: `$ ${step.command}\n${outputs[at]}` }))
      for (const { step, result } of results.filter(({ step: { shown } }) => shown !== ''))
        expect(result).toMatch(toPattern(step))
    },
  )
})

function escape(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
