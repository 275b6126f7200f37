import { FileError } from '../platform.ts'
import type { FileProblem } from '../platform.ts'

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}

export function problemOf(code: string): FileProblem {
  if (code === 'EACCES' || code === 'EPERM') return 'no-permission'
  if (code === 'EISDIR' || code === 'ENXIO' || code === 'ELOOP') return 'not-a-file'
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'no-space'
  if (code === 'EROFS') return 'read-only'
  return 'io'
}

export function toFileError(error: unknown, path: string): FileError {
  if (error instanceof FileError) return error
  const code = codeOf(error)
  const reason = {
    'no-permission': 'permission denied',
    'no-space': 'no space left on the device',
    'read-only': 'the file system is read-only',
    'not-a-file': 'it is not a regular file',
    'too-large': 'it is too large',
    'not-utf8': 'it is not UTF-8 text',
    changed: 'it was changed by another program',
    io: code,
  }[problemOf(code)]
  return new FileError(problemOf(code), `${path}: ${reason}`, { cause: error })
}
