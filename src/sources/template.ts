/**
 * The ways in which owners write a value that comes from elsewhere, and one parser for all of them.
 * A text becomes parts; nothing here looks anything up.
 */
export type Syntax =
  | 'braces' // ${VAR} ${VAR:-default}
  | 'bare' // $VAR
  | 'env-colon' // ${env:VAR}
  | 'editor' // ${workspaceFolder} ${userHome} ${/} …
  | 'input' // ${input:id}
  | 'file-colon' // ${file:/path}
  | 'opencode' // {env:VAR} {file:path}
  | 'dollar-env' // $env:VAR
  | 'shell' // $(command) on top of braces and bare
  | 'secrets' // ${{ secrets.X }} ${{ inputs.X }}
  | 'alternatives' // ${env:A | value:b | input:c | op://…}
  | 'percent' // %VAR% on Windows
  | 'plugin' // ${PLUGIN_ROOT} and its kin, by the names in `names`
  | 'bang' // !command for the whole value
  | 'env-name' // the whole value may be the name of a variable
  | 'keychain' // ${keychain:service/account}

export interface ValueRules {
  readonly syntaxes: readonly Syntax[]
  /** What an unset variable becomes: the text as it stands, nothing, or the whole entry left out. */
  readonly unset: 'keep' | 'empty' | 'omit'
  /** Names that the owner itself fills in, such as a plugin's folder; `undefined` means it is known only to the owner. */
  readonly names?: Readonly<Record<string, string | undefined>>
  /** `~/` at the start of a path means the home directory. */
  readonly tilde?: boolean
  /** A relative `cwd` starts at this folder. */
  readonly relativeTo?: string
  /** Which fields are expanded at all; every one when absent. */
  readonly fields?: readonly ValueField[]
  /** Only variables whose name matches are visible to the owner. */
  readonly only?: RegExp
  /** The owner's folder of the project, for `${workspaceFolder}`. */
  readonly workspace?: string
  /** How a `!command` runs: its words as they are, or in the person's shell. */
  readonly bang?: 'argv' | 'shell'
  /** Look into switched-off entries too, because the owner expands a file as a whole. */
  readonly checkDisabled?: boolean
  /** A placeholder of a common form that this owner leaves as it is, to be pointed out. */
  readonly literalPlaceholders?: 'report'
}

export type ValueField = 'command' | 'args' | 'env' | 'cwd' | 'envFile' | 'url' | 'headers' | 'auth'

export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'env'; readonly name: string; readonly fallback?: string; readonly text: string }
  | { readonly kind: 'name'; readonly name: string; readonly text: string }
  | { readonly kind: 'input'; readonly id: string; readonly text: string }
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'secret'; readonly name: string; readonly text: string }
  | { readonly kind: 'command'; readonly command: string; readonly text: string }
  | { readonly kind: 'keychain'; readonly reference: string; readonly text: string }
  | { readonly kind: 'scheme'; readonly scheme: string; readonly text: string }
  | { readonly kind: 'literal'; readonly value: string; readonly text: string }

const variable = /^[A-Za-z_][A-Za-z0-9_]*/
const editorNames = new Set([
  'workspaceFolder',
  'workspaceFolderBasename',
  'workspaceRoot',
  'userHome',
  'pathSeparator',
  '/',
])

/** One pass from left to right; what a part resolves to is never looked at again. */
export function parseTemplate(text: string, rules: ValueRules): readonly Part[] {
  const on = (syntax: Syntax) => rules.syntaxes.includes(syntax)
  if (on('bang') && text.startsWith('!')) return [{ kind: 'command', command: text.slice(1).trim(), text }]

  if (!/[$%{]/.test(text)) return text === '' ? [] : [{ kind: 'text', text }]
  const parts: Part[] = []
  let literal = ''
  let index = 0
  while (index < text.length) {
    const found = placeholderAt(text, index, rules, on)
    if (found) {
      if (literal) parts.push({ kind: 'text', text: literal })
      literal = ''
      parts.push(found)
      index += found.text.length
    } else {
      literal += text[index++]
    }
  }
  if (literal) parts.push({ kind: 'text', text: literal })
  return parts
}

type On = (syntax: Syntax) => boolean

function placeholderAt(text: string, index: number, rules: ValueRules, on: On): Part | undefined {
  const char = text[index]
  if (char === '$') return dollarAt(text, index, rules, on)
  if (char === '{' && on('opencode')) return opencodeAt(text, index)
  if (char === '%' && on('percent')) return percentAt(text, index)
  return undefined
}

function dollarAt(text: string, index: number, rules: ValueRules, on: On): Part | undefined {
  const next = text[index + 1]
  if (next === '{' && text[index + 2] === '{') {
    if (!on('secrets')) return undefined
    const end = text.indexOf('}}', index)
    if (end < 0) return undefined
    const name = text.slice(index + 3, end).trim()
    return { kind: 'secret', name, text: text.slice(index, end + 2) }
  }
  if (next === '{') {
    const end = closingBrace(text, index + 2)
    if (end < 0) return undefined
    return bracesPart(text.slice(index + 2, end), text.slice(index, end + 1), rules, on)
  }
  if (next === '(' && on('shell')) {
    const end = text.indexOf(')', index)
    if (end < 0) return undefined
    return { kind: 'command', command: text.slice(index + 2, end), text: text.slice(index, end + 1) }
  }
  if (on('dollar-env') && text.startsWith('$env:', index)) {
    const name = variable.exec(text.slice(index + 5))?.[0]
    return name === undefined ? undefined : { kind: 'env', name, text: `$env:${name}` }
  }
  if (on('bare')) {
    const name = variable.exec(text.slice(index + 1, index + 257))?.[0]
    if (name !== undefined) return { kind: 'env', name, text: `$${name}` }
  }
  return undefined
}

/** A default may hold a placeholder of its own; braces inside it are counted. */
function closingBrace(text: string, from: number): number {
  let depth = 0
  for (let index = from; index < text.length; index++) {
    if (text[index] === '{') depth++
    else if (text[index] === '}' && depth-- === 0) return index
  }
  return -1
}

function bracesPart(inner: string, text: string, rules: ValueRules, on: On): Part | undefined {
  if (on('alternatives')) return alternativesPart(inner, text)
  if (on('plugin') && rules.names && Object.hasOwn(rules.names, inner))
    return { kind: 'name', name: inner, text }
  if (on('editor') && editorNames.has(inner)) return { kind: 'name', name: inner, text }
  if (on('env-colon') && inner.startsWith('env:')) return { kind: 'env', name: inner.slice(4), text }
  if (on('input') && inner.startsWith('input:')) return { kind: 'input', id: inner.slice(6), text }
  if (on('file-colon') && inner.startsWith('file:')) return { kind: 'file', path: inner.slice(5), text }
  if (on('keychain') && inner.startsWith('keychain:')) {
    return { kind: 'keychain', reference: inner.slice(9), text }
  }
  if (!on('braces')) return undefined
  const name = variable.exec(inner)?.[0]
  if (name === undefined) return undefined
  if (inner === name) return { kind: 'env', name, text }
  if (inner.startsWith(`${name}:-`))
    return { kind: 'env', name, fallback: inner.slice(name.length + 2), text }
  return undefined
}

/** SEP-2633: the first alternative that has a value counts. */
function alternativesPart(inner: string, text: string): Part | undefined {
  const options = inner.split('|').map((option) => option.trim())
  const first = options[0] ?? ''
  if (first.startsWith('env:')) {
    const literal = options.slice(1).find((option) => option.startsWith('value:'))
    return {
      kind: 'env',
      name: first.slice(4),
      ...(literal !== undefined && { fallback: literal.slice(6) }),
      text,
    }
  }
  if (first.startsWith('value:')) return { kind: 'literal', value: first.slice(6), text }
  if (first.startsWith('input:')) return { kind: 'input', id: first.slice(6), text }
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(first)?.[1]
  return scheme === undefined ? undefined : { kind: 'scheme', scheme, text }
}

function opencodeAt(text: string, index: number): Part | undefined {
  const end = text.indexOf('}', index)
  if (end < 0) return undefined
  const inner = text.slice(index + 1, end)
  const whole = text.slice(index, end + 1)
  if (inner.startsWith('env:')) return { kind: 'env', name: inner.slice(4), text: whole }
  if (inner.startsWith('file:')) return { kind: 'file', path: inner.slice(5), text: whole }
  return undefined
}

function percentAt(text: string, index: number): Part | undefined {
  const name = variable.exec(text.slice(index + 1, index + 257))?.[0]
  if (name === undefined || text[index + 1 + name.length] !== '%') return undefined
  return { kind: 'env', name, text: `%${name}%` }
}
