import { HostError } from '../../model/error.ts'
import { FileError } from '../../platform/platform.ts'
import type { FileProblem, FileText, Platform } from '../../platform/platform.ts'

export interface FileEdit {
  readonly platform: Pick<Platform, 'files' | 'lock'>
  readonly path: string
  /** The mode to set. By default an existing file keeps its mode, and a new one gets 0600. */
  readonly mode?: number | ((before: number | undefined) => number)
  /** Returns the new text for the current one (empty if there is no file). Runs again if the file changes meanwhile. */
  readonly edit: (text: string, isNew: boolean) => string | Promise<string>
}

export interface EditedFile {
  /** The file that was written: the path itself, or the target of its link. */
  readonly file: string
  readonly changed: boolean
}

const attempts = 3

/**
 * Changes a file atomically and without losing other writers' changes (T09). A lock excludes writers that take it; for
 * those that do not, the file is compared right before the rename, and the edit starts over if it changed.
 */
export async function editFile({ platform, path, mode, edit }: FileEdit): Promise<EditedFile> {
  const { files } = platform
  const file = await files.realPath(path)
  return platform.lock(file, async () => {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const found = await files.readText(file)
      const before = textOf(found, path)
      const after = await edit(before, found.kind === 'absent')
      // An edit that changes nothing creates no file either.
      if (after === before) return { file, changed: false }
      const mark = found.kind === 'text' && found.bom ? '\uFEFF' : ''
      const options = { mode: modeOf(found, mode), over: found }
      const written = await files.replace(file, mark + after, options).then(
        () => true,
        (error: unknown) => refuseUnlessChanged(error, path),
      )
      if (written) return { file, changed: true }
    }
    throw new HostError('config.conflict', { file: path }, `${path} is being changed by another program.`, {
      hint: 'Wait until the other program is done, then try again.',
    })
  })
}

function textOf(found: FileText, path: string): string {
  if (found.kind === 'absent') return ''
  if (found.kind === 'problem') throw unwritable(path, found.problem, `${found.message}.`)
  if ((found.stat.mode & 0o200) === 0) throw unwritable(path, 'no-permission', `${path} is marked read-only.`)
  return found.text
}

function modeOf(found: FileText, mode: FileEdit['mode']): number {
  const before = found.kind === 'text' ? found.stat.mode : undefined
  if (typeof mode === 'function') return mode(before)
  return mode ?? before ?? 0o600
}

/** `false` if the file changed meanwhile; any other error is thrown. */
function refuseUnlessChanged(error: unknown, path: string): false {
  if (!(error instanceof FileError)) throw error
  if (error.problem === 'changed') return false
  throw unwritable(path, error.problem, `${error.message}. The file is unchanged.`, error)
}

const hints: Readonly<Partial<Record<FileProblem, string>>> = {
  'no-permission': 'Give yourself write permission for the file and its folder.',
  'no-space': 'Free some disk space, then try again.',
  'read-only': 'The file system is read-only; change the file at its source.',
  'not-a-file': 'Put a regular file there.',
  'not-utf8': 'Save it as UTF-8.',
}

/** FI-73: a failed write always leaves the old file in place. */
function unwritable(path: string, problem: FileProblem, message: string, cause?: FileError): HostError {
  const hint = hints[problem]
  return new HostError('config.unwritable', { file: path }, message, {
    cause,
    ...(hint !== undefined && { hint }),
  })
}
