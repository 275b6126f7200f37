import ts from 'typescript-5.6'
import { isRemovable, isSkipped, replacements } from './mutations.mjs'

/**
 * Makes one text of a source file that contains all of its mutants: each place asks `globalThis.mutant(number)` whether it is
 * to be the mutated one. Lines stay where they are.
 */
export function instrument(file, source, firstNumber) {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS)
  const mutants = []
  const add = (node, mutated) => {
    const { line, character } = tree.getLineAndCharacterOfPosition(node.getStart())
    const number = firstNumber + mutants.length
    const original = node.getText()
    const place = { file, line: line + 1, column: character + 1 }
    mutants.push({ number, ...place, original, mutated, isStatic: isStatic(node) })
    return number
  }
  const code = render(tree)
  const { parseDiagnostics } = ts.createSourceFile(
    file,
    code,
    ts.ScriptTarget.Latest,
    false,
    ts.ScriptKind.TS,
  )
  if (parseDiagnostics.length > 0)
    throw new Error(`${file} cannot be parsed with its mutants: ${parseDiagnostics[0].messageText}`)
  return { code, mutants }

  /** The text of a node with the mutants in it. */
  function render(node) {
    if (isSkipped(node)) return node.getText()
    const isWhole = ts.isSourceFile(node)
    const start = isWhole ? 0 : node.getStart()
    let [text, at] = ['', start]
    for (const child of childrenOf(node)) {
      text += source.slice(at, child.getStart()) + render(child)
      at = child.end
    }
    text += source.slice(at, node.end)
    return isWhole ? text : withMutants(node, text)
  }

  function withMutants(node, text) {
    if (isRemovable(node)) return `{ if (!globalThis.mutant(${add(node, '')})) { ${text} } }`
    // Without semicolons, a statement must not begin with a parenthesis.
    if (ts.isExpressionStatement(node)) return text === node.getText() ? text : `{ ${text} }`
    if (!ts.isExpression(node) || isName(node)) return text
    const choices = replacements(node).map(
      (mutated) => `globalThis.mutant(${add(node, mutated)}) ? (${mutated}) : `,
    )
    return choices.length === 0 ? text : `(${choices.join('')}${text})`
  }
}

function childrenOf(node) {
  const children = []
  ts.forEachChild(node, (child) => void children.push(child))
  return children.filter((child) => child.end > child.pos).sort((a, b) => a.pos - b.pos)
}

/** A name of a property that is written as a literal. */
function isName(node) {
  const { parent } = node
  return ts.isLiteralExpression(node) && 'name' in parent && parent.name === node
}

/** Whether the code runs when its module is loaded, and never again. */
function isStatic(node) {
  for (let at = node.parent; at; at = at.parent) {
    if (ts.isFunctionLike(at)) return false
    if (ts.isPropertyDeclaration(at))
      return at.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) ?? false
  }
  return true
}
