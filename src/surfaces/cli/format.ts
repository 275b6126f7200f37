import { usage } from './errors.ts'

export const formats = ['text', 'json', 'raw', 'markdown'] as const
export type Format = (typeof formats)[number]

export interface FormatFlags {
  readonly json?: boolean
  readonly format?: Format
}

/** `--json` is short for `--format json`. */
export function formatOf({ json = false, format }: FormatFlags): Format {
  if (json && format !== undefined && format !== 'json')
    throw usage(`--json and --format ${format} exclude each other.`)
  return format ?? (json ? 'json' : 'text')
}
