import { spawnSync } from 'node:child_process'
import { cliFile } from './cli.ts'
import type { Machine } from './cli.ts'

/** Runs a line of bash in the project, where `plugboard` is the built command line. */
export function inShell(machine: Machine, line: string) {
  const { status, stdout, stderr } = spawnSync(
    '/bin/bash',
    ['-c', `plugboard() { "$NODE" "$CLI" "$@"; }\n${line}`],
    {
      cwd: machine.project,
      env: { ...machine.env, NODE: process.execPath, CLI: cliFile },
      encoding: 'utf8',
    },
  )
  return { status, stdout, stderr }
}
