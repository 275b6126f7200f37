import { Closers, longest } from './closers.ts'

/**
 * The placeholder syntaxes of all clients. One parser splits a text into parts; resolving them is done elsewhere.
 */
export type Syntax =
  | 'braces' // ${VAR} ${VAR:-default}
  | 'bare' // $VAR
  | 'env-colon' // ${env:VAR}
  | 'editor' // ${workspaceFolder} ${userHome} ${/} …
  | 'editor-only' // ${config:key} ${command:id} ${file} …, which only a running editor knows
  | 'input' // ${input:id}
  | 'file-colon' // ${file:/path}
  | 'opencode' // {env:VAR} {file:path}
  | 'dollar-env' // $env:VAR
  | 'shell' // $(command) on top of braces and bare
  | 'secrets' // ${{ secrets.X }} ${{ inputs.X }}
  | 'alternatives' // ${env:A | value:b | input:c | op://…}
  | 'percent' // %VAR% on Windows
  | 'plugin' // ${PLUGIN_ROOT} and similar, by the keys of `names`
  | 'user-config' // ${user_config.id}
  | 'curly' // {id}, for the ids in `names`
  | 'bang' // !command for the whole value
  | 'env-name' // the whole value may be the name of a variable
  | 'keychain' // ${keychain:service/account}

export interface ValueRules {
  readonly syntaxes: readonly Syntax[]
  /** The replacement of an unset variable: the placeholder itself, an empty string, or the whole value is omitted. */
  readonly unset: 'keep' | 'empty' | 'omit'
  /** A server does not start if a variable is unset (T06); the placeholder is kept only for display. */
  readonly needsVariables?: true
  /** Names that the client itself fills in, such as a plugin's folder; `undefined` means that only the client knows it. */
  readonly names?: Readonly<Record<string, string | undefined>>
  /** Whether a variable has a value, for clients with alternatives. */
  readonly has?: (name: string) => boolean
  /** `${VAR:-default}` keeps an empty variable empty. */
  readonly emptyCounts?: boolean
  /** `~/` is expanded in the command, `cwd` and `envFile`, or only in the given fields. */
  readonly tilde?: true | readonly ValueField[]
  /** A relative `cwd` is resolved against this folder. */
  readonly relativeTo?: string
  /** The fields that are expanded; all if absent. */
  readonly fields?: readonly ValueField[]
  /** The client sees only variables whose name matches. */
  readonly only?: RegExp
  /** The project folder for `${workspaceFolder}`. */
  readonly workspace?: string
  /** How a `!command` runs: split into words, or in the user's shell. */
  readonly bang?: 'argv' | 'shell'
  /** O12: a header or variable whose command fails is omitted; the server still starts. */
  readonly failedCommand?: 'omit'
  /** Check disabled entries too, because the client expands the file as a whole. */
  readonly checkDisabled?: boolean
  /** Report placeholders of a common form that this client does not expand. */
  readonly literalPlaceholders?: 'report'
  /** A sentence that says which key of the client's own names a variable instead of a placeholder in this field. */
  readonly variableKey?: (
    site: { readonly field: ValueField; readonly key: string | number },
    variable: string,
  ) => string | undefined
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

const editorOnly =
  /^(?:(config|command|workspaceFolder|extensionInstallFolder):|(cwd|execPath|defaultBuildTask|lineNumber|selectedText|(?:relativeF|f)ile\w*)$)/

/** Parses in one pass from left to right. Resolved values are never parsed again. */
export function parseTemplate(text: string, rules: ValueRules): readonly Part[] {
  const allows = (syntax: Syntax) => rules.syntaxes.includes(syntax)
  if (allows('bang') && text.startsWith('!'))
    return [{ kind: 'command', command: text.slice(1).trim(), text }]

  if (nextStart(text, 0) < 0) return text === '' ? [] : [{ kind: 'text', text }]

  const parts: Part[] = []
  const closers = new Closers(text)
  let begin = 0
  for (let index = nextStart(text, 0); index >= 0; index = nextStart(text, index)) {
    const found = placeholderAt(text, index, rules, allows, closers)
    if (!found) {
      index++
      continue
    }
    if (index > begin) parts.push({ kind: 'text', text: text.slice(begin, index) })
    parts.push(found)
    index += found.text.length
    begin = index
  }
  if (begin < text.length) parts.push({ kind: 'text', text: text.slice(begin) })
  return parts
}

/** The offset of the next character that could start a placeholder. */
function nextStart(text: string, from: number): number {
  startChars.lastIndex = from
  return startChars.exec(text)?.index ?? -1
}

const startChars = /[$%{]/g

type AllowsSyntax = (syntax: Syntax) => boolean

function placeholderAt(
  text: string,
  index: number,
  rules: ValueRules,
  allows: AllowsSyntax,
  closers: Closers,
): Part | undefined {
  const char = text[index]
  if (char === '$') return dollarAt(text, index, rules, allows, closers)
  if (char === '{' && allows('opencode')) return opencodeAt(text, index, closers)
  if (char === '{' && allows('curly')) return curlyAt(text, index, rules, closers)
  if (char === '%' && allows('percent')) return percentAt(text, index)
  return undefined
}

function dollarAt(
  text: string,
  index: number,
  rules: ValueRules,
  allows: AllowsSyntax,
  closers: Closers,
): Part | undefined {
  const next = text[index + 1]
  if (next === '{' && text[index + 2] === '{') {
    if (!allows('secrets')) return undefined
    const end = closers.next('}}', index)
    if (end < 0) return undefined
    const name = text.slice(index + 3, end).trim()
    return { kind: 'secret', name, text: text.slice(index, end + 2) }
  }
  if (next === '{') {
    const end = closers.ofBrace(index + 1)
    if (end < 0) return undefined
    return bracesPart(text.slice(index + 2, end), text.slice(index, end + 1), rules, allows)
  }
  if (next === '(' && allows('shell')) {
    const end = closers.next(')', index)
    if (end < 0) return undefined
    return { kind: 'command', command: text.slice(index + 2, end), text: text.slice(index, end + 1) }
  }
  if (allows('dollar-env') && text.startsWith('$env:', index)) {
    const name = variable.exec(text.slice(index + 5))?.[0]
    return name === undefined ? undefined : { kind: 'env', name, text: `$env:${name}` }
  }
  if (allows('bare')) {
    const name = variable.exec(text.slice(index + 1, index + 257))?.[0]
    const own = name !== undefined && allows('plugin') && Object.hasOwn(rules.names ?? {}, name)
    if (name !== undefined) return { kind: own ? 'name' : 'env', name, text: `$${name}` }
  }
  return undefined
}

function bracesPart(inner: string, text: string, rules: ValueRules, allows: AllowsSyntax): Part | undefined {
  if (allows('alternatives')) return alternativesPart(inner, text, rules)
  if (allows('plugin') && rules.names && Object.hasOwn(rules.names, inner))
    return { kind: 'name', name: inner, text }
  if (allows('user-config') && inner.startsWith('user_config.')) {
    return { kind: 'input', id: inner.slice(12), text }
  }
  if (allows('editor') && editorNames.has(inner)) return { kind: 'name', name: inner, text }
  const scheme = allows('editor-only') ? editorOnly.exec(inner) : null
  if (scheme) return { kind: 'scheme', scheme: scheme[1] ?? inner, text }
  if (allows('env-colon') && inner.startsWith('env:')) return { kind: 'env', name: inner.slice(4), text }
  if (allows('input') && inner.startsWith('input:')) return { kind: 'input', id: inner.slice(6), text }
  if (allows('file-colon') && inner.startsWith('file:')) return { kind: 'file', path: inner.slice(5), text }
  if (allows('keychain') && inner.startsWith('keychain:')) {
    return { kind: 'keychain', reference: inner.slice(9), text }
  }
  if (!allows('braces')) return undefined
  const name = variable.exec(inner)?.[0]
  if (name === undefined) return undefined
  if (inner === name) return { kind: 'env', name, text }
  if (inner.startsWith(`${name}:-`))
    return { kind: 'env', name, fallback: inner.slice(name.length + 2), text }
  if (allows('shell') && inner.startsWith(`${name}:?`)) return { kind: 'env', name, text }
  return undefined
}

/** SEP-2633: picks the first alternative with a value, then an input, then a scheme that cannot be resolved here. */
function alternativesPart(inner: string, text: string, rules: ValueRules): Part | undefined {
  const parts = inner.split('|').flatMap((option) => alternativePart(option.trim(), text) ?? [])
  const known = ({ name }: Part & { kind: 'env' }) => rules.has?.(name) ?? false
  return (
    parts.find((part) => part.kind === 'literal' || (part.kind === 'env' && known(part))) ??
    parts.find(({ kind }) => kind === 'input') ??
    parts.find(({ kind }) => kind === 'scheme') ??
    parts[0]
  )
}

function alternativePart(option: string, text: string): Part | undefined {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(option)?.[1]
  if (scheme === undefined) return undefined
  const rest = option.slice(scheme.length + 1)
  if (scheme === 'env') return { kind: 'env', name: rest, text }
  if (scheme === 'value') return { kind: 'literal', value: rest, text }
  return scheme === 'input' ? { kind: 'input', id: rest, text } : { kind: 'scheme', scheme, text }
}

function curlyAt(text: string, index: number, rules: ValueRules, closers: Closers): Part | undefined {
  const end = closers.next('}', index)
  if (end < 0 || end - index > longest || !rules.names) return undefined
  const id = text.slice(index + 1, end)
  if (id.includes('{') || !Object.hasOwn(rules.names, id)) return undefined
  return { kind: 'input', id, text: text.slice(index, end + 1) }
}

function opencodeAt(text: string, index: number, closers: Closers): Part | undefined {
  const end = closers.next('}', index)
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
