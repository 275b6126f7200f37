import { LineCounter, isNode, isPair, parseDocument } from 'yaml'
import type { Document } from 'yaml'
import { fromPointer } from '../../model/json.ts'
import { toPlain } from './doc.ts'
import type { Doc, Position } from './doc.ts'

/** `firstLine` is for YAML that stands inside another text, such as the front matter of a Markdown file. */
export function parseYaml(text: string, options: { readonly firstLine?: number } = {}): Doc {
  const shift = (options.firstLine ?? 1) - 1
  const forbidden: string[] = []
  const lines = new LineCounter()
  const base = { format: 'yaml', relaxed: [], duplicates: [], forbidden } as const
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1) + shift, column: Math.max(col, 1) }
  }
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' })
    const errors = document.errors.map((error) => ({ message: error.message, ...at(error.pos[0]) }))
    const value = errors.length > 0 ? undefined : toPlain(document.toJS({ maxAliasCount: 50 }), forbidden)
    return { ...base, value, errors, position: (pointer) => at(offsetOf(document, fromPointer(pointer))) }
  } catch (error) {
    const place = { line: 1 + shift, column: 1 }
    return {
      ...base,
      value: undefined,
      errors: [{ message: String(error), ...place }],
      position: () => place,
    }
  }
}

function offsetOf(document: Document.Parsed, path: readonly string[]): number {
  for (let length = path.length; length > 0; length--) {
    const parent: unknown = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const key = path[length - 1]
    if (!isNode(parent) || !('items' in parent)) continue
    for (const [index, item] of parent.items.entries()) {
      const node = isPair(item)
        ? isScalarKey(item.key, key)
          ? item.key
          : undefined
        : index === Number(key)
          ? item
          : undefined
      if (isNode(node) && node.range) return node.range[0]
    }
  }
  return 0
}

function isScalarKey(key: unknown, name: string | undefined): boolean {
  return typeof key === 'object' && key !== null && 'value' in key && String(key.value) === name
}
