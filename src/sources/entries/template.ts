import { Closers, longest } from './closers.ts'

/**
 * The ways in which owners write a value that comes from elsewhere, and one parser for all of them.
 * A text becomes parts; nothing here looks anything up.
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
  | 'plugin' // ${PLUGIN_ROOT} and its kin, by the names in `names`
  | 'user-config' // ${user_config.id}
  | 'curly' // {id}, for the ids in `names`
  | 'bang' // !command for the whole value
  | 'env-name' // the whole value may be the name of a variable
  | 'keychain' // ${keychain:service/account}

export interface ValueRules {
  readonly syntaxes: readonly Syntax[]
  /** What an unset variable becomes: the text as it stands, nothing, or the whole entry left out. */
  readonly unset: 'keep' | 'empty' | 'omit'
  /** A server does not start without a variable that is unset (T06); the text stays as it is only for showing. */
  readonly needsVariables?: true
  /** Names that the owner itself fills in, such as a plugin's folder; `undefined` means it is known only to the owner. */
  readonly names?: Readonly<Record<string, string | undefined>>
  /** Whether a variable has a value, for owners that choose between alternatives. */
  readonly has?: (name: string) => boolean
  /** `${VAR:-default}` keeps an empty variable empty. */
  readonly emptyCounts?: boolean
  /** `~/` at the start of a path means the home directory: of the command, `cwd` and `envFile`, or of these fields alone. */
  readonly tilde?: true | readonly ValueField[]
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
  /** O12: a header or variable whose command fails is left out, instead of stopping the server. */
  readonly failedCommand?: 'omit'
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

const editorOnly =
  /^(?:(config|command|workspaceFolder|extensionInstallFolder):|(cwd|execPath|defaultBuildTask|lineNumber|selectedText|(?:relativeF|f)ile\w*)$)/

/** One pass from left to right; what a part resolves to is never looked at again. */
export function parseTemplate(text: string, rules: ValueRules): readonly Part[] {
  const on = (syntax: Syntax) => rules.syntaxes.includes(syntax)
  if (on('bang') && text.startsWith('!')) return [{ kind: 'command', command: text.slice(1).trim(), text }]

  if (nextSign(text, 0) < 0) return text === '' ? [] : [{ kind: 'text', text }]

  const parts: Part[] = []
  const closers = new Closers(text)
  let begin = 0
  for (let index = nextSign(text, 0); index >= 0; index = nextSign(text, index)) {
    const found = placeholderAt(text, index, rules, on, closers)
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

/** Where the next placeholder could begin. */
function nextSign(text: string, from: number): number {
  signs.lastIndex = from
  return signs.exec(text)?.index ?? -1
}

const signs = /[$%{]/g

type On = (syntax: Syntax) => boolean

function placeholderAt(
  text: string,
  index: number,
  rules: ValueRules,
  on: On,
  closers: Closers,
): Part | undefined {
  const char = text[index]
  if (char === '$') return dollarAt(text, index, rules, on, closers)
  if (char === '{' && on('opencode')) return opencodeAt(text, index, closers)
  if (char === '{' && on('curly')) return curlyAt(text, index, rules, closers)
  if (char === '%' && on('percent')) return percentAt(text, index)
  return undefined
}

function dollarAt(
  text: string,
  index: number,
  rules: ValueRules,
  on: On,
  closers: Closers,
): Part | undefined {
  const next = text[index + 1]
  if (next === '{' && text[index + 2] === '{') {
    if (!on('secrets')) return undefined
    const end = closers.next('}}', index)
    if (end < 0) return undefined
    const name = text.slice(index + 3, end).trim()
    return { kind: 'secret', name, text: text.slice(index, end + 2) }
  }
  if (next === '{') {
    const end = closers.ofBrace(index + 1)
    if (end < 0) return undefined
    return bracesPart(text.slice(index + 2, end), text.slice(index, end + 1), rules, on)
  }
  if (next === '(' && on('shell')) {
    const end = closers.next(')', index)
    if (end < 0) return undefined
    return { kind: 'command', command: text.slice(index + 2, end), text: text.slice(index, end + 1) }
  }
  if (on('dollar-env') && text.startsWith('$env:', index)) {
    const name = variable.exec(text.slice(index + 5))?.[0]
    return name === undefined ? undefined : { kind: 'env', name, text: `$env:${name}` }
  }
  if (on('bare')) {
    const name = variable.exec(text.slice(index + 1, index + 257))?.[0]
    const own = name !== undefined && on('plugin') && Object.hasOwn(rules.names ?? {}, name)
    if (name !== undefined) return { kind: own ? 'name' : 'env', name, text: `$${name}` }
  }
  return undefined
}

function bracesPart(inner: string, text: string, rules: ValueRules, on: On): Part | undefined {
  if (on('alternatives')) return alternativesPart(inner, text, rules)
  if (on('plugin') && rules.names && Object.hasOwn(rules.names, inner))
    return { kind: 'name', name: inner, text }
  if (on('user-config') && inner.startsWith('user_config.')) {
    return { kind: 'input', id: inner.slice(12), text }
  }
  if (on('editor') && editorNames.has(inner)) return { kind: 'name', name: inner, text }
  const scheme = on('editor-only') ? editorOnly.exec(inner) : null
  if (scheme) return { kind: 'scheme', scheme: scheme[1] ?? inner, text }
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
  if (on('shell') && inner.startsWith(`${name}:?`)) return { kind: 'env', name, text }
  return undefined
}

/** SEP-2633: the first alternative that has a value counts; one that only others can resolve comes last. */
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
