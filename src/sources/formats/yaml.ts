import { LineCounter, isAlias, isCollection, isNode, isPair, parseDocument, visit } from 'yaml'
import type { Document } from 'yaml'
import { fromPointer } from '../../model/json.ts'
import { maxDepth, toPlain, withoutBom } from './doc.ts'
import type { Doc, Position } from './doc.ts'

/** `firstLine` is the line where YAML inside another text begins, such as the front matter of a Markdown file. */
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
    const position = (pointer: string) => at(offsetOf(document, fromPointer(pointer)))
    const errors = document.errors.map((error) => ({ message: explainError(error), ...at(error.pos[0]) }))
    if (errors.length > 0) return { ...base, value: undefined, errors, position }
    const problem = problemIn(document)
    if (problem) {
      const error = { message: problem.message, ...at(problem.offset) }
      return { ...base, value: undefined, errors: [error], position }
    }
    return { ...base, value: toPlain(document.toJS({ maxAliasCount: 50 }), forbidden), errors, position }
  } catch {
    const place = { line: 1 + shift, column: 1 }
    const message = 'this is nested too deeply, or its aliases expand to too much'
    return { ...base, value: undefined, errors: [{ message, ...place }], position: () => place }
  }
}

/** Replacements for messages in which the library talks about its own API. */
const explanations: Readonly<Record<string, string>> = {
  MULTIPLE_DOCS: 'a second document begins here; only one is read',
  RESOURCE_EXHAUSTION: `nested deeper than ${maxDepth}`,
  DUPLICATE_KEY: 'this key is a duplicate',
}

function explainError({ code, message }: { readonly code: string; readonly message: string }): string {
  return explanations[code] ?? message
}

/** Finds the problems for which the library would throw an error without a position. */
function problemIn(document: Document.Parsed): { message: string; offset: number } | undefined {
  let problem: { message: string; offset: number } | undefined
  visit(document, (_key, node, path) => {
    if (!isNode(node)) return undefined
    const offset = node.range?.[0] ?? 0
    if (isAlias(node)) {
      const named = node.resolve(document)
      if (!named) problem = { message: `there is no anchor "${node.source}" above this alias`, offset }
      else if (path.includes(named)) problem = { message: 'this alias contains itself', offset }
    } else if (path.filter(isCollection).length > maxDepth) {
      problem = { message: `nested deeper than ${maxDepth}`, offset }
    }
    return problem ? visit.BREAK : undefined
  })
  return problem
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

/** The YAML between the first two `---` lines of a Markdown file, with the lines of the whole file. */
export function parseFrontMatter(text: string): Doc {
  const match = /^---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/m.exec(withoutBom(text))
  return { ...parseYaml(match?.index === 0 ? (match[1] ?? '') : '', { firstLine: 2 }), format: 'markdown' }
}
