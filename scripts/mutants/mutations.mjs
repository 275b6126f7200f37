import ts from 'typescript-5.6'

/**
 * What can be turned around at one node of the source:
 *
 * - a decision (a condition, a comparison, an operand of `&&` or `||`) becomes constant;
 * - the boundary of a comparison moves by one value;
 * - `&&` and `||` are swapped where an operand is a value, a `!` outside of a decision is dropped;
 * - of `??`, the default or the value is dropped;
 * - arithmetic is swapped, a number is one more and one less, `true` and `false` are swapped;
 * - members of unions and elements of lists are emptied, a list is emptied, a filter is dropped, `some` and `every`,
 *   `min` and `max`, `startsWith` and `endsWith` are swapped;
 * - a statement that calls, assigns, returns early, throws or continues is removed.
 *
 * A negated decision is no mutant of its own: where one of its constants dies, it gives the same wrong value in the same
 * case, and dies too. It would only raise the figure.
 *
 * Not mutated, because no test should notice or only the wording changes: types, texts (templates, sentences, what an
 * error is made with), what is logged, sizes in bytes and durations.
 */

const K = ts.SyntaxKind

const comparisons = new Set([
  K.EqualsEqualsEqualsToken,
  K.ExclamationEqualsEqualsToken,
  K.EqualsEqualsToken,
  K.ExclamationEqualsToken,
  K.LessThanToken,
  K.LessThanEqualsToken,
  K.GreaterThanToken,
  K.GreaterThanEqualsToken,
])
const moved = new Map([
  [K.LessThanToken, '<='],
  [K.LessThanEqualsToken, '<'],
  [K.GreaterThanToken, '>='],
  [K.GreaterThanEqualsToken, '>'],
])
const arithmetic = new Map([
  [K.PlusToken, '-'],
  [K.MinusToken, '+'],
  [K.AsteriskToken, '/'],
  [K.SlashToken, '*'],
  [K.PercentToken, '*'],
  [K.PlusEqualsToken, '-='],
  [K.MinusEqualsToken, '+='],
])
const methods = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['min', 'max'],
  ['max', 'min'],
])

/** Names of functions that tell a person something, and of those that only tidy up timers. */
const saying = /^(?:warn|log|debug|info|error|trace|onWarn|clearTimeout|clearInterval|unref)$/
/** Names of values that are durations: a test that waited for them would measure the machine. */
const duration = /(?:Ms|Seconds|Days|Minutes|Delay|Timeout)$/
/** A member of a union; sentences have blanks. */
const word = /^[A-Za-z][\w.:/-]*$/

/** The replacements of an expression, each as the text that takes its place. */
export function replacements(node) {
  const text = (each) => each.getText()
  const found = []
  const isDeciding = isDecision(node) && !isLiteral(node)
  if (isDeciding) found.push(...constants(node))
  if (ts.isBinaryExpression(node)) found.push(...ofBinary(node, text))
  else if (ts.isPrefixUnaryExpression(node) && node.operator === K.ExclamationToken && !isDeciding)
    found.push(text(node.operand))
  else if (isStep(node) && !isInForHead(node))
    found.push(text(node).replace(/\+\+|--/, (sign) => (sign === '++' ? '--' : '++')))
  else if (node.kind === K.TrueKeyword || node.kind === K.FalseKeyword)
    found.push(node.kind === K.TrueKeyword ? 'false' : 'true')
  else if (ts.isNumericLiteral(node)) found.push(...ofNumber(node))
  else if (ts.isStringLiteral(node) && isCompared(node)) found.push("''")
  else if (ts.isArrayLiteralExpression(node) && isList(node)) found.push('[]')
  else if (ts.isCallExpression(node)) found.push(...ofCall(node, text))
  return [...new Set(found)].filter((each) => each !== text(node))
}

/** Whether a statement can be removed as a whole. */
export function isRemovable(node) {
  if (ts.isExpressionStatement(node)) return isEffect(node.expression)
  if (ts.isReturnStatement(node)) return !isLastOfFunction(node) && !isWholeBranch(node)
  if (ts.isThrowStatement(node) || ts.isContinueStatement(node)) return !isWholeBranch(node)
  return false
}

/** Parts of the source in which nothing is mutated. */
export function isSkipped(node) {
  if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return true
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return true
  if (ts.isTemplateExpression(node) || ts.isTaggedTemplateExpression(node)) return true
  if (ts.isNewExpression(node)) return /(?:Error|Fault)$/.test(node.expression.getText())
  return ts.isCallExpression(node) && saying.test(calleeName(node))
}

function isDecision(node) {
  if (ts.isParenthesizedExpression(node)) return false
  const outer = outermost(node)
  const { parent } = outer
  if ((ts.isIfStatement(parent) || ts.isWhileStatement(parent)) && parent.expression === outer) return true
  if (ts.isConditionalExpression(parent) && parent.condition === outer) return true
  if (ts.isForStatement(parent) && parent.condition === outer) return true
  if (isLogical(parent)) return true
  if (isLogical(node)) return !isValue(node.right)
  return ts.isBinaryExpression(node) && comparisons.has(node.operatorToken.kind)
}

function constants(node) {
  const outer = outermost(node)
  const { parent } = outer
  // A loop that never ends is noticed by any test.
  if (ts.isWhileStatement(parent) || ts.isForStatement(parent)) return ['false']
  if (!isLogical(parent)) return ['true', 'false']
  // The operand without effect; the other constant is the one of the whole.
  const isAnd = parent.operatorToken.kind === K.AmpersandAmpersandToken
  if (isAnd && ts.isObjectLiteralExpression(parent.right)) return ofOptionalProperties(node, parent)
  if (outer === parent.right && isValue(node)) return []
  // Of operands that are joined by the same sign, the inner ones are each without effect by themselves.
  if (isLogical(node) && node.operatorToken.kind === parent.operatorToken.kind) return []
  return [isAnd ? 'true' : 'false']
}

/** `…(x !== undefined && { x })`: a property that is there without a value is as good as none. */
function ofOptionalProperties(node, { right }) {
  if (node === right) return []
  const names = right.properties.map(({ name }) => name?.getText())
  const isAboutItself = names.length === 1 && new RegExp(`(?:^|\\W)${names[0]}\\b`).test(node.getText())
  return isAboutItself ? ['false'] : ['true', 'false']
}

function ofBinary(node, text) {
  const { left, right } = node
  const { kind } = node.operatorToken
  const found = []
  const join = (sign) => found.push(`${text(left)} ${sign} ${text(right)}`)
  if (moved.has(kind) && !isCountOfNone(left, right)) join(moved.get(kind))
  // Between two decisions, the one without effect is the same mutant in the same case.
  if (kind === K.AmpersandAmpersandToken && isValue(right) && !ts.isObjectLiteralExpression(right))
    found.push(`(${text(left)}) || (${text(right)})`)
  if (kind === K.BarBarToken && isValue(right)) found.push(`(${text(left)}) && (${text(right)})`)
  if (kind === K.QuestionQuestionToken) {
    found.push(text(right))
    // The compiler asks for a default at each access by index, also where there always is a value.
    if (!isIndexed(left)) found.push(text(left))
  }
  if (arithmetic.has(kind) && !isText(left) && !isText(right) && !isSize(node)) join(arithmetic.get(kind))
  return found
}

function ofNumber(node) {
  const { parent } = node
  const value = Number(node.text)
  if (duration.test(ownerName(node)) || isSize(parent)) return []
  if (!Number.isInteger(value)) return [`${node.text} * 1.01`, `${node.text} * 0.99`]
  const [more, less] = [`${value + 1}`, `${value - 1}`]
  // An index, a status, a factor: one other value shows that it counts.
  if (!ts.isBinaryExpression(parent)) return isLimit(node) ? [more, less] : [more]
  const { kind } = parent.operatorToken
  // The moved boundary is the other direction.
  const isBelow = (kind === K.LessThanToken || kind === K.GreaterThanEqualsToken) === (parent.right === node)
  if (moved.has(kind) && isBelow) return value === 0 ? [] : [less]
  return [more]
}

/** `64 * 1024 * 1024`: a size or a duration, whose exact value decides nothing. */
function isSize(node) {
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== K.AsteriskToken) return false
  return [node.left, node.right].every((each) => ts.isNumericLiteral(each) || isSize(each))
}

/** Whether a number stands by itself behind a name: a constant, a property or a default. */
function isLimit({ parent }) {
  return (
    ts.isVariableDeclaration(parent) ||
    ts.isPropertyAssignment(parent) ||
    ts.isPropertyDeclaration(parent) ||
    ts.isParameter(parent) ||
    ts.isBindingElement(parent)
  )
}

function ofCall(node, text) {
  const { expression } = node
  if (!ts.isPropertyAccessExpression(expression) || node.flags & ts.NodeFlags.OptionalChain) return []
  const { name } = expression
  if (name.text === 'filter' && node.arguments.length === 1) return [text(expression.expression)]
  const other = methods.get(name.text)
  if (other === undefined) return []
  const at = name.getStart() - node.getStart()
  const whole = text(node)
  return [whole.slice(0, at) + other + whole.slice(at + name.text.length)]
}

/** Words and elements that code compares with, or gives to a caller that does. */
function isCompared(node) {
  if (!word.test(node.text)) return false
  const { parent } = outermost(node)
  if (ts.isCaseClause(parent) || ts.isArrayLiteralExpression(parent) || ts.isConditionalExpression(parent))
    return true
  if (ts.isPropertyAssignment(parent)) return parent.initializer === outermost(node)
  return ts.isReturnStatement(parent) || ts.isArrowFunction(parent)
}

function isEffect(expression) {
  const inner = unwrapped(expression)
  if (ts.isCallExpression(inner))
    return inner.expression.kind !== K.SuperKeyword && !saying.test(calleeName(inner))
  if (ts.isDeleteExpression(inner)) return true
  if (!ts.isBinaryExpression(inner)) return false
  const { kind } = inner.operatorToken
  return kind >= K.FirstAssignment && kind <= K.LastAssignment
}

function unwrapped(expression) {
  const isWrapper =
    ts.isAwaitExpression(expression) ||
    ts.isVoidExpression(expression) ||
    ts.isParenthesizedExpression(expression)
  return isWrapper ? unwrapped(expression.expression) : expression
}

function calleeName({ expression }) {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text
  return ts.isIdentifier(expression) ? expression.text : ''
}

/** `if (x) return`: the condition that is never true removes it. */
function isWholeBranch(node) {
  if (ts.isIfStatement(node.parent)) return true
  const { parent: block } = node
  return ts.isBlock(block) && block.statements.length === 1 && ts.isIfStatement(block.parent)
}

function isLastOfFunction(node) {
  const { parent: block } = node
  return ts.isBlock(block) && ts.isFunctionLike(block.parent) && block.statements.at(-1) === node
}

/** The name of the constant, property or parameter that a number is for. */
function ownerName(node) {
  for (let at = node.parent; at; at = at.parent) {
    if (ts.isVariableDeclaration(at) || ts.isPropertyAssignment(at) || ts.isParameter(at))
      return at.name.getText()
    if (ts.isBindingElement(at) || ts.isPropertyDeclaration(at)) return at.name.getText()
    if (ts.isCallExpression(at)) return calleeName(at)
    if (!ts.isBinaryExpression(at) && !ts.isParenthesizedExpression(at)) return ''
  }
  return ''
}

function isStep(node) {
  return (
    (ts.isPostfixUnaryExpression(node) || ts.isPrefixUnaryExpression(node)) &&
    (node.operator === K.PlusPlusToken || node.operator === K.MinusMinusToken)
  )
}

function isInForHead(node) {
  return ts.isForStatement(node.parent) && node.parent.incrementor === node
}

function isLogical(node) {
  const kind = ts.isBinaryExpression(node) ? node.operatorToken.kind : undefined
  return kind === K.AmpersandAmpersandToken || kind === K.BarBarToken
}

function outermost(node) {
  return ts.isParenthesizedExpression(node.parent) ? outermost(node.parent) : node
}

function isValue(node) {
  return (
    isLiteral(node) || ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node) || isText(node)
  )
}

/** `list.length > 0`: there are never fewer than none. */
function isCountOfNone(left, right) {
  return (
    right.getText() === '0' && ts.isPropertyAccessExpression(left) && /^(?:length|size)$/.test(left.name.text)
  )
}

function isLiteral({ kind }) {
  return kind === K.TrueKeyword || kind === K.FalseKeyword || kind === K.NumericLiteral
}

function isText(node) {
  return ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)
}

function isIndexed(node) {
  const inner = ts.isNonNullExpression(node) ? node.expression : node
  if (ts.isElementAccessExpression(inner)) return true
  return ts.isCallExpression(inner) && /^(?:exec|match|at|pop|shift|codePointAt)$/.test(calleeName(inner))
}

function isList({ parent, elements }) {
  // Sentences are texts.
  if (elements.length === 0 || elements.every((each) => isText(each) && /\s/.test(each.getText())))
    return false
  // `[a, b] = …`
  if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === K.EqualsToken)
    return parent.left.elements !== elements
  // `[...new Set([…])]` is the same list.
  return !(ts.isNewExpression(parent) && ts.isSpreadElement(parent.parent))
}
