import { parse } from 'smol-toml'
import { maxDepth, toPlain, withoutBom } from './doc.ts'
import type { Doc, Position } from './doc.ts'
import { readPlainToml } from './plain-toml.ts'
import { createTomlPlaces } from './toml-places.ts'

/** Most files are plain and read quickly; the others by smol-toml, which also says what is wrong. */
export function parseToml(source: string): Doc {
  const text = withoutBom(source)
  const forbidden: string[] = []
  const base = { format: 'toml', relaxed: [], duplicates: [], forbidden } as const
  try {
    const value = readPlainToml(text) ?? toPlain(parse(text, { maxDepth }), forbidden)
    return { ...base, value, errors: [], position: createTomlPlaces(text) }
  } catch (error) {
    const place = placeOf(error)
    return {
      ...base,
      value: undefined,
      errors: [{ message: factOf(error), ...place }],
      position: () => place,
    }
  }
}

/** `Invalid TOML document: the fact. A remark.` and an excerpt of the text become the fact. */
function factOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
  return line.replace(/^Invalid TOML document: /, '').replace(/\.(?: .*)?$/, '')
}

function placeOf(error: unknown): Position {
  const { line, column } = error as { line?: unknown; column?: unknown } // TomlError carries both
  return {
    line: typeof line === 'number' ? line : 1,
    column: typeof column === 'number' ? column : 1,
  }
}
