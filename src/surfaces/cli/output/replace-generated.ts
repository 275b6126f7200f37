import {
  chmodSync,
  lstatSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { HostError } from '../../../index.ts'
import { usage } from '../errors.ts'
import { makeFolder } from './save-file.ts'

interface ReplaceOptions {
  readonly isGenerated: (text: string) => boolean
  /** Replace a file that was not generated too. */
  readonly force: boolean
  readonly isProgram: boolean
  /** The file as messages write it. */
  readonly shown: string
}

const otherFile = 'Choose another file, or replace it with --force.'

/**
 * Writes a generated file as a whole; returns whether it changed. A file that was not generated is kept, and so is a module
 * where a program would replace it: other files import it.
 */
export function replaceGenerated(file: string, code: string, options: ReplaceOptions): boolean {
  const { shown } = options
  const before = readIfPresent(file)
  if (before === code) return false
  if (before !== undefined && !options.force && !options.isGenerated(before))
    throw usage(`${shown} was not generated; it was not changed.`, otherFile)
  if (before !== undefined && !options.force && before.startsWith('#!') !== options.isProgram)
    throw usage(
      `${shown} is a generated ${options.isProgram ? 'module, not a program' : 'program, not a module'}; it was not changed.`,
      otherFile,
    )
  makeFolder(dirname(file))
  // A link stays a link: the file that it leads to was checked.
  const target = before === undefined ? file : realpathSync(file)
  const written = `${target}.${process.pid}.tmp`
  try {
    writeFileSync(written, code, { flag: 'wx' })
    if (options.isProgram) chmodSync(written, 0o755)
    renameSync(written, target)
  } catch (error) {
    rmSync(written, { force: true })
    throw unwritable(file, error)
  }
  return true
}

/** Only regular files are read: reading a pipe or a device may never end. */
function readIfPresent(file: string): string | undefined {
  try {
    const found = statSync(file, { throwIfNoEntry: false })
    if (found?.isFile()) return readFileSync(file, 'utf8')
    if (found) throw new Error('It is not a file.')
    if (lstatSync(file, { throwIfNoEntry: false }))
      throw new Error('It is a link to a file that does not exist.')
    return undefined
  } catch (error) {
    throw unwritable(file, error)
  }
}

function unwritable(file: string, why: unknown): HostError {
  const message = `${file} cannot be written: ${why instanceof Error ? why.message : String(why)}`
  return new HostError('config.unwritable', { file }, message, { hint: 'Choose another place.' })
}
