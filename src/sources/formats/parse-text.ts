import type { Doc, Format } from './doc.ts'
import { readPlainJson } from './plain-json.ts'

/** Parsers are loaded for the format that is there; strict JSON needs none. */
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

/** The format of a file that a client looks for: known by its name alone. */
export function formatByName(path: string): Format {
  if (path.endsWith('.toml')) return 'toml'
  if (/\.ya?ml$/.test(path)) return 'yaml'
  return path.endsWith('.md') ? 'markdown' : 'json'
}

/** The format a file's name tells, else what the text looks like: a snippet has no name. */
export function formatOfText(text: string, path?: string): Format {
  if (path !== undefined && /\.jsonc?$/.test(path)) return 'json'
  if (path !== undefined && /\.ya?ml$/.test(path)) return 'yaml'
  if (path?.endsWith('.toml')) return 'toml'
  if (/^\s*(\{|"|\/\/|\/\*)/.test(text)) return 'json'
  return /^\s*(\[[^\]\n]+\]\s*(#.*)?$|[\w.-]+\s*=)/m.test(text) ? 'toml' : 'yaml'
}
