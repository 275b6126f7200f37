import type { FileText, Files } from '../platform/platform.ts'

/** One file before and after. */
export interface FileChange {
  readonly file: string
  readonly before: string
  readonly after: string
}

export interface RecordingFiles extends Files {
  changes(): readonly FileChange[]
}

/** Files whose writes are only remembered: the same code that edits shows what it would do. */
export function recordWrites(files: Files): RecordingFiles {
  const written = new Map<string, { before: string; after: string; mode: number }>()
  return {
    ...files,
    async readText(path, options): Promise<FileText> {
      const pending = written.get(path)
      if (!pending) return files.readText(path, options)
      const stat = {
        kind: 'file',
        mode: pending.mode,
        uid: 0,
        size: pending.after.length,
        mtimeMs: 0,
      } as const
      return { kind: 'text', text: pending.after, bom: false, stat }
    },
    async replace(path, text, options) {
      const found = await files.readText(path)
      const before = written.get(path)?.before ?? (found.kind === 'text' ? found.text : '')
      written.set(path, { before, after: text, mode: options?.mode ?? 0o600 })
    },
    writeBytes: async () => undefined,
    makePrivateDirectory: async () => undefined,
    changes: () => [...written].map(([file, { before, after }]) => ({ file, before, after })),
  }
}
