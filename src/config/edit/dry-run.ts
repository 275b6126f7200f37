import { HostError } from '../../model/error.ts'
import type { FileText, Files } from '../../platform/platform.ts'
import { formatByName } from '../../sources/formats/parse-text.ts'
import { platformOf } from '../discover-options.ts'
import { parseEdited, recordAddedKeys } from './added-keys.ts'
import { editFile } from './edit-file.ts'
import type { EditOptions } from './workbench.ts'

/** One file before and after. */
export interface FileChange {
  readonly file: string
  readonly before: string
  readonly after: string
  /** The mode to set. By default an existing file keeps its mode, and a new one gets 0600. */
  readonly mode?: number
}

export interface RecordingFiles extends Files {
  changes(): readonly FileChange[]
}

/** Byte order mark. `readText` reports it separately from the text. */
const mark = '\uFEFF'

interface PendingFile {
  readonly before: string
  readonly after: string
  readonly mode: number
  readonly bom: boolean
  readonly isRemoved?: true
}

/**
 * Files that record writes instead of performing them, so that a dry run uses the same code as an edit. Writes to
 * `unreported` are dropped.
 */
export function recordWrites(files: Files, unreported?: string): RecordingFiles {
  const written = new Map<string, PendingFile>()
  const textBefore = async (path: string) => {
    const pending = written.get(path)
    if (pending) return pending.before
    const found = await files.readText(path)
    return found.kind === 'text' ? found.text : ''
  }
  return {
    ...files,
    async readText(path, options): Promise<FileText> {
      const pending = written.get(path)
      if (!pending) return files.readText(path, options)
      if (pending.isRemoved) return { kind: 'absent' }
      return { kind: 'text', text: pending.after, bom: pending.bom, stat: statOf(pending) }
    },
    async stat(path) {
      const pending = written.get(path)
      if (!pending) return files.stat(path)
      return pending.isRemoved ? undefined : statOf(pending)
    },
    async replace(path, text, options) {
      if (path === unreported) return
      const before = await textBefore(path)
      const bom = text.startsWith(mark)
      const after = bom ? text.slice(mark.length) : text
      written.set(path, { before, after, bom, mode: options?.mode ?? 0o600 })
    },
    async remove(path) {
      const before = await textBefore(path)
      written.set(path, { before, after: '', bom: false, mode: 0o600, isRemoved: true })
    },
    writeBytes: async () => undefined,
    makePrivateDirectory: async () => undefined,
    moveFolder: async () => true,
    removeFolder: async () => undefined,
    changes: () => [...written].map(([file, { before, after, mode }]) => ({ file, before, after, mode })),
  }
}

function statOf({ mode, after }: PendingFile) {
  return { kind: 'file', mode, uid: 0, size: after.length, mtimeMs: 0 } as const
}

/** Writes exactly the changes of a dry run. A file that has changed since then is an error and is not written. */
export async function writeChanges(changes: readonly FileChange[], options: EditOptions = {}): Promise<void> {
  const platform = await platformOf(options)
  for (const { file, before, after, mode } of changes) {
    let wasNew = false
    const edit = (text: string, isNew: boolean) => {
      wasNew = isNew
      return text === before ? after : failChanged(file)
    }
    await editFile({ platform, path: file, edit, ...(mode !== undefined && { mode }) })
    const docs = await parseEdited(before, after, { format: formatByName(file), isNew: wasNew })
    await recordAddedKeys(file, docs, platform)
  }
}

function failChanged(file: string): never {
  throw new HostError('config.conflict', { file }, `${file} has changed since it was shown.`, {
    hint: 'Nothing was written. Try again.',
  })
}
