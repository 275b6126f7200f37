import { accessSync, constants, statSync } from 'node:fs'
import type { Os, SpawnOptions } from '../platform.ts'
import { SpawnError } from '../platform.ts'
import { codeOf } from './file-error.ts'
import { findCommand, isPath } from './find-command.ts'

/** T04: what ends a text or a line for the system or a shell has no place in a command line. Values stay unnamed. */
export function refuseBadArguments({ command, args, env }: SpawnOptions): void {
  if (command === '') throw new SpawnError('bad-argument', 'The command is empty.')
  if (isUnfit(command)) throw new SpawnError('bad-argument', 'The command holds a line break or a NUL.')
  const index = args.findIndex(isUnfit)
  if (index >= 0) {
    throw new SpawnError('bad-argument', `Argument ${index + 1} holds a line break or a NUL.`)
  }
  for (const [name, value] of Object.entries(env)) {
    if (isUnfit(name) || name === '' || name.includes('=')) {
      throw new SpawnError('bad-argument', `${JSON.stringify(name)} cannot be the name of a variable.`)
    }
    // A line break is fine here: keys in PEM form are given so, and no shell ever reads it.
    if (value.includes('\0')) throw new SpawnError('bad-argument', `The variable ${name} holds a NUL.`)
  }
}

function isUnfit(text: string): boolean {
  return text.includes('\0') || text.includes('\n') || text.includes('\r')
}

export function findProgram({ command, cwd, env }: SpawnOptions): string {
  const os = currentOs()
  const found = findCommand(command, { cwd, env, os })
  if (found.kind === 'found') return found.path
  const { searched, blocked } = found
  if (blocked !== undefined) {
    throw new SpawnError('no-permission', `${blocked} may not be run: permission denied.`, { searched })
  }
  if (!isPath(command, os)) {
    throw new SpawnError('not-found', `"${command}" was not found in PATH.`, { searched })
  }
  refuseBadCwd(cwd)
  throw new SpawnError('not-found', `${searched[0]} does not exist.`, { searched })
}

/** What the system answered to the start of a program that was there a moment before. */
export function toSpawnError(error: unknown, program: string, { cwd }: SpawnOptions): SpawnError {
  const code = codeOf(error)
  const options = { cause: error, searched: [program] }
  // The system says the same of a program and of the place where it should run.
  const problem = /^(?:ENOENT|ENOTDIR|EACCES)$/.test(code) && problemOfCwd(cwd)
  if (problem) return new SpawnError('bad-cwd', `The working directory ${cwd} ${problem}.`, { cause: error })
  switch (code) {
    case 'ENOENT':
      return new SpawnError('not-found', `${program} or the program that runs it does not exist.`, options)
    case 'EACCES':
    case 'EPERM':
      return new SpawnError('no-permission', `${program} may not be run: permission denied.`, options)
    case 'EMFILE':
    case 'ENFILE':
    case 'ENOMEM':
    case 'EAGAIN':
      return new SpawnError('no-resources', `${program} was not started: ${scarce[code]}.`, options)
    case 'E2BIG':
      return new SpawnError('bad-argument', 'The arguments and variables are too long.', options)
    default:
      return new SpawnError('other', `${program} was not started: ${code}.`, options)
  }
}

const scarce = {
  EMFILE: 'too many files are open in this process (EMFILE)',
  ENFILE: 'too many files are open on this machine (ENFILE)',
  ENOMEM: 'the machine is out of memory (ENOMEM)',
  EAGAIN: 'too many processes are running (EAGAIN)',
} as const

function refuseBadCwd(cwd: string): void {
  const problem = problemOfCwd(cwd)
  if (problem) throw new SpawnError('bad-cwd', `The working directory ${cwd} ${problem}.`)
}

function problemOfCwd(cwd: string): string | undefined {
  try {
    if (!statSync(cwd).isDirectory()) return 'is not a directory'
    accessSync(cwd, constants.X_OK)
    return undefined
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? 'does not exist' : 'may not be entered'
  }
}

function currentOs(): Os {
  return process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'linux'
}
