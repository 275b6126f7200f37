import { usage } from './errors.ts'

export const formats = ['text', 'json', 'raw', 'markdown'] as const
export type Format = (typeof formats)[number]

/** Messages have no bytes of their own. */
export const messageFormats = ['text', 'json', 'markdown'] as const
export type MessageFormat = (typeof messageFormats)[number]

export interface FormatFlags<Taken extends Format = Format> {
  readonly json?: boolean
  readonly format?: Taken
}

/** `--json` is short for `--format json`. */
export function formatOf({ json = false, format }: FormatFlags): Format {
  if (json && format !== undefined && format !== 'json')
    throw usage(`--json and --format ${format} exclude each other.`)
  return format ?? (json ? 'json' : 'text')
}
