import { createScanner, printParseErrorCode, visit } from 'jsonc-parser'
import type { ParseErrorCode } from 'jsonc-parser'
import { fromPointer, isForbiddenKey, toPointer } from '../../model/json.ts'
import type { Json } from '../../model/json.ts'
import { maxDepth, withoutBom } from './doc.ts'
import type { Doc, Position, Remark } from './doc.ts'

interface Node extends Position {
  readonly value: Json
  readonly children: Map<string, Node> | Node[] | undefined
}

/** Parses JSON with comments and trailing commas, and records them so that the reader of a strict client can refuse them. */
export function parseJsonc(source: string): Doc {
  const text = withoutBom(source)
  const tooDeep = findDepthBomb(text)
  if (tooDeep) return failedDoc(tooDeep)
  const reader = new TreeReader()
  visit(text, reader.visitor, { allowTrailingComma: true, allowEmptyContent: false })
  const { root, relaxed, duplicates, forbidden } = reader
  // Comments alone are an empty file. A text without any is an error: a program that writes in place empties the file first.
  const isEmptyFile = relaxed.length > 0 && reader.errors.length === 1 && isBlank(text)
  const errors = isEmptyFile ? [] : reader.errors
  return {
    format: 'json',
    value: root?.value,
    errors,
    relaxed,
    duplicates,
    forbidden,
    position: (pointer) => locate(root, pointer),
  }
}

function failedDoc(error: Remark): Doc {
  return {
    format: 'json',
    value: undefined,
    errors: [error],
    relaxed: [],
    duplicates: [],
    forbidden: [],
    position: () => ({ line: error.line, column: error.column }),
  }
}

/** The position of the value, or of its nearest existing parent. */
function locate(root: Node | undefined, pointer: string): Position {
  let node = root
  for (const part of fromPointer(pointer)) {
    const children: Node['children'] = node?.children
    const next: Node | undefined = Array.isArray(children) ? children[Number(part)] : children?.get(part)
    if (!next) break
    node = next
  }
  return { line: node?.line ?? 1, column: node?.column ?? 1 }
}

interface Frame {
  readonly value: Json[] | Record<string, Json>
  readonly children: Map<string, Node> | Node[]
  readonly at: Position
  readonly name: string | number
  key: (Position & { readonly name: string }) | undefined
  comma: Position | undefined
}

/** Builds values without prototypes, and their positions, from jsonc-parser's events. */
class TreeReader {
  root: Node | undefined
  readonly errors: Remark[] = []
  readonly relaxed: Remark[] = []
  readonly duplicates: string[] = []
  readonly forbidden: string[] = []
  readonly #frames: Frame[] = []

  readonly visitor = {
    onObjectBegin: (_offset: number, _length: number, line: number, character: number) =>
      this.#open(Object.create(null) as Record<string, Json>, new Map(), at(line, character)),
    onObjectEnd: () => this.#close(),
    onArrayBegin: (_offset: number, _length: number, line: number, character: number) =>
      this.#open([], [], at(line, character)),
    onArrayEnd: () => this.#close(),
    onObjectProperty: (name: string, _offset: number, _length: number, line: number, character: number) => {
      const frame = this.#frames.at(-1)
      if (!frame) return
      frame.key = { name, ...at(line, character) }
      frame.comma = undefined
    },
    onLiteralValue: (value: Json, _offset: number, _length: number, line: number, character: number) =>
      this.#add({ value: finiteOrText(value), children: undefined, ...at(line, character) }),
    onSeparator: (separator: string, _offset: number, _length: number, line: number, character: number) => {
      const frame = this.#frames.at(-1)
      if (frame && separator === ',') frame.comma = at(line, character)
    },
    onComment: (_offset: number, _length: number, line: number, character: number) => {
      this.relaxed.push({ message: 'comment', ...at(line, character) })
    },
    onError: (code: ParseErrorCode, _offset: number, _length: number, line: number, character: number) => {
      this.errors.push({ message: explainError(code), ...at(line, character) })
    },
  }

  #open(value: Frame['value'], children: Frame['children'], position: Position): void {
    const parent = this.#frames.at(-1)
    const name = parent ? (parent.key?.name ?? (parent.value as Json[]).length) : ''
    this.#frames.push({ value, children, at: position, name, key: undefined, comma: undefined })
  }

  #close(): void {
    const frame = this.#frames.pop()
    if (!frame) return
    if (frame.comma) this.relaxed.push({ message: 'trailing comma', ...frame.comma })
    this.#add({ value: frame.value, children: frame.children, ...frame.at })
  }

  #add(node: Node): void {
    const frame = this.#frames.at(-1)
    if (!frame) {
      this.root ??= node
      return
    }
    frame.comma = undefined
    if (Array.isArray(frame.value)) {
      frame.value.push(node.value)
      ;(frame.children as Node[]).push(node) // an array's children are an array
      return
    }
    const key = frame.key
    frame.key = undefined
    if (!key) return
    const children = frame.children as Map<string, Node> // an object's children are a map
    const pointer = () => toPointer([...this.#frames.slice(1).map(({ name }) => name), key.name])
    if (isForbiddenKey(key.name)) {
      this.forbidden.push(pointer())
      children.set(key.name, { ...node, line: key.line, column: key.column })
      return
    }
    if (children.has(key.name)) this.duplicates.push(pointer())
    frame.value[key.name] = node.value
    children.set(key.name, { ...node, line: key.line, column: key.column })
  }
}

/** Converts an infinite number (such as `1e400`) to a string, as for the other formats: JSON could not represent it. */
function finiteOrText(value: Json): Json {
  return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value
}

function at(line: number, character: number): Position {
  return { line: line + 1, column: character + 1 }
}

const explanations: Readonly<Record<string, string>> = {
  ValueExpected: 'a value is missing here',
  CommaExpected: 'a comma is missing here',
  ColonExpected: 'a colon is missing here',
  PropertyNameExpected: 'a key in double quotes is missing here',
  CloseBraceExpected: 'a closing "}" is missing here',
  CloseBracketExpected: 'a closing "]" is missing here',
  EndOfFileExpected: 'there is text after the end of the value',
  InvalidSymbol: 'this is not JSON',
  UnexpectedEndOfString: 'a closing quote is missing',
}

function explainError(code: ParseErrorCode): string {
  const name = printParseErrorCode(code)
  return explanations[name] ?? name
}

/** jsonc-parser recurses, so deep nesting would exhaust the stack. This counts brackets first, with the same scanner. */
function findDepthBomb(text: string): Remark | undefined {
  const scanner = createScanner(text, true)
  const scan = (): number => scanner.scan()
  const open: number[] = []
  for (let token = scan(); token !== tokens.end; token = scan()) {
    if (token === tokens.openBrace || token === tokens.openBracket) open.push(token)
    // A mismatched bracket closes nothing: the parser skips it.
    else if (token === tokens.closeBrace && open.at(-1) === tokens.openBrace) open.pop()
    else if (token === tokens.closeBracket && open.at(-1) === tokens.openBracket) open.pop()
    if (open.length > maxDepth) {
      const place = at(scanner.getTokenStartLine(), scanner.getTokenStartCharacter())
      return { message: `nested deeper than ${maxDepth}`, ...place }
    }
  }
  return undefined
}

/** Whether a text has no value: only spaces and comments. */
function isBlank(text: string): boolean {
  const first: number = createScanner(text, true).scan()
  return first === tokens.end
}

/** jsonc-parser's `SyntaxKind`: a const enum, which does not exist at run time. */
const tokens = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, end: 17 }
