import { accessSync, constants, statSync } from 'node:fs'
import type { Os, SpawnOptions } from '../platform.ts'
import { SpawnError } from '../platform.ts'
import { codeOf } from './file-error.ts'
import { findCommand, isPath } from './find-command.ts'

/** T04: refuses NULs and line breaks, which end a string or a line for the system or a shell. Messages omit the values. */
export function refuseBadArguments({ command, args, env }: SpawnOptions): void {
  if (command === '') throw new SpawnError('bad-argument', 'The command is empty.')
  if (hasBreak(command)) throw new SpawnError('bad-argument', 'The command contains a line break or a NUL.')
  const index = args.findIndex(hasBreak)
  if (index >= 0) {
    throw new SpawnError('bad-argument', `Argument ${index + 1} contains a line break or a NUL.`)
  }
  for (const [name, value] of Object.entries(env)) {
    if (hasBreak(name) || name === '' || name.includes('=')) {
      throw new SpawnError('bad-argument', `${JSON.stringify(name)} cannot be the name of a variable.`)
    }
    // A line break is allowed here: PEM keys contain them, and no shell reads the value.
    if (value.includes('\0')) throw new SpawnError('bad-argument', `The variable ${name} contains a NUL.`)
  }
}

function hasBreak(text: string): boolean {
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

/** Classifies the error of the system for a program that was found just before. */
export function toSpawnError(error: unknown, program: string, { cwd }: SpawnOptions): SpawnError {
  const code = codeOf(error)
  const options = { cause: error, searched: [program] }
  // The system reports the same code for the program and for its working directory.
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
      return new SpawnError('no-resources', `${program} was not started: ${resourceProblems[code]}.`, options)
    case 'E2BIG':
      return new SpawnError('bad-argument', 'The arguments and variables are too long.', options)
    default:
      return new SpawnError('other', `${program} was not started: ${code}.`, options)
  }
}

const resourceProblems = {
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
