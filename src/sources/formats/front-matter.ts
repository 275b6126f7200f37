import { withoutBom } from './doc.ts'
import type { Doc } from './doc.ts'
import { parseYaml } from './yaml.ts'

/** The YAML between the first two `---` lines of a Markdown file, with the lines of the whole file. */
export function parseFrontMatter(text: string): Doc {
  const match = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/m.exec(withoutBom(text))
  return { ...parseYaml(match?.index === 0 ? (match[1] ?? '') : '', { firstLine: 2 }), format: 'markdown' }
}
