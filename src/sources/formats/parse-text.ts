import type { Doc, Format } from './doc.ts'
import { readPlainJson } from './plain-json.ts'

/** Loads only the parser of the given format; strict JSON needs none. */
export async function parseText(text: string, format: Format): Promise<Doc> {
  switch (format) {
    case 'json':
      return readPlainJson(text) ?? (await import('./jsonc.ts')).parseJsonc(text)
    case 'toml':
      return (await import('./toml.ts')).parseToml(text)
    case 'yaml':
      return (await import('./yaml.ts')).parseYaml(text)
    case 'markdown':
      return (await import('./yaml.ts')).parseFrontMatter(text)
    default:
      return format satisfies never
  }
}

/** The format of a client's file, by its name. */
export function formatByName(path: string): Format {
  if (path.endsWith('.toml')) return 'toml'
  if (/\.ya?ml$/.test(path)) return 'yaml'
  return path.endsWith('.md') ? 'markdown' : 'json'
}

/** The format by the file's name, or guessed from the text: a pasted snippet has no name. */
export function formatOfText(text: string, path?: string): Format {
  if (path !== undefined && /\.jsonc?$/.test(path)) return 'json'
  if (path !== undefined && /\.ya?ml$/.test(path)) return 'yaml'
  if (path?.endsWith('.toml')) return 'toml'
  if (/^\s*(\{|"|\/\/|\/\*)/.test(text)) return 'json'
  return /^\s*(\[[^\]\n]+\]\s*(#.*)?$|[\w.-]+\s*=)/m.test(text) ? 'toml' : 'yaml'
}
