import { HostError } from '../../model/error.ts'
import { FileError } from '../../platform/platform.ts'
import type { FileProblem, FileText, Platform } from '../../platform/platform.ts'

export interface FileEdit {
  readonly platform: Pick<Platform, 'files' | 'lock'>
  readonly path: string
  /** The mode afterwards. By default a file keeps the one it has, and a new one is for its owner alone. */
  readonly mode?: number | ((before: number | undefined) => number)
  /** From the text that is there, empty if none is, to the new one. It may run again when the file changes meanwhile. */
  readonly edit: (text: string) => string | Promise<string>
}

export interface EditedFile {
  /** Where it was written: the path itself, or what it links to. */
  readonly file: string
  readonly changed: boolean
}

const attempts = 3

/**
 * Changes a file so that a reader sees the old text or the new one and no other writer's change is lost (T09):
 * under a lock against writers that take it, and by comparing right before the rename against those that do not.
 */
export async function editFile({ platform, path, mode, edit }: FileEdit): Promise<EditedFile> {
  const { files } = platform
  const file = await files.realPath(path)
  return platform.lock(file, async () => {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const found = await files.readText(file)
      const before = textOf(found, path)
      const after = await edit(before)
      if (after === before && found.kind === 'text') return { file, changed: false }
      const mark = found.kind === 'text' && found.bom ? '\uFEFF' : ''
      const options = { mode: modeOf(found, mode), over: found }
      const written = await files.replace(file, mark + after, options).then(
        () => true,
        (error: unknown) => unlessChanged(error, path),
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
  if (found.kind === 'problem') throw unwritable(path, found.problem, found.message)
  if ((found.stat.mode & 0o200) === 0) throw unwritable(path, 'no-permission', `${path} is marked read-only.`)
  return found.text
}

function modeOf(found: FileText, mode: FileEdit['mode']): number {
  const before = found.kind === 'text' ? found.stat.mode : undefined
  if (typeof mode === 'function') return mode(before)
  return mode ?? before ?? 0o600
}

function unlessChanged(error: unknown, path: string): false {
  if (!(error instanceof FileError)) throw error
  if (error.problem === 'changed') return false
  throw unwritable(path, error.problem, `${error.message}. The file is as it was.`, error)
}

const hints: Readonly<Partial<Record<FileProblem, string>>> = {
  'no-permission': 'Give yourself write permission for the file and its folder.',
  'no-space': 'Make room on the disk, then try again.',
  'read-only': 'It is on a file system that cannot be written; change it where it comes from.',
  'not-a-file': 'Put a regular file there.',
  'not-utf8': 'Save it as UTF-8.',
}

/** FI-73: whatever stopped the write, the old file is as it was. */
function unwritable(path: string, problem: FileProblem, message: string, cause?: FileError): HostError {
  const hint = hints[problem]
  return new HostError('config.unwritable', { file: path }, message, {
    cause,
    ...(hint !== undefined && { hint }),
  })
}
