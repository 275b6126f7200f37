import { expect } from 'vitest'
import type { ListOutput, Machine } from './programs/cli.ts'

export const good = { good: { command: 'good-mcp' } }

/** Runs `list` and returns the exit code, the loaded servers and the diagnostics. */
export async function listProblems(machine: Machine, ...sources: readonly string[]) {
  const before = machine.files()
  const words = ['list', '--json', ...sources.flatMap((source) => ['--source', source])]
  const { code, stdout } = await machine.run(...words)
  expect(machine.files()).toEqual(before)
  const { servers, diagnostics } = JSON.parse(stdout) as ListOutput
  return {
    code,
    names: servers.map(({ name }) => name),
    problems: diagnostics.map(({ severity, code: problem, file, line }) => {
      const place = String(file).replace(`${machine.project}/`, '').replace(machine.home, '~')
      return `${severity} ${problem} ${place}${typeof line === 'number' ? `:${line}` : ''}`
    }),
  }
}
