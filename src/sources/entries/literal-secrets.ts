import { isToken } from '../../model/secrets/token-forms.ts'
import { parametersWithin, passwordsWithin } from './passwords-within.ts'
import type { Part } from './passwords-within.ts'
import { hasSecretWord, isSecretName, wordsOfName } from './secret-names.ts'

// The one judgement of literal secrets: what is reported here is also hidden and never written into shared files.

/** What a literal text is: a secret, an example that a person has to replace, or neither. */
export type LiteralKind = 'secret' | 'example'

/** A literal and its place in the text. */
export interface Literal {
  readonly kind: LiteralKind
  readonly name: string
  readonly start: number
  readonly end: number
}

/** `$NAME` refers to a variable at the start of a word only: `My$ecret` is a password. */
const reference =
  /\$[{(]|\$env:|(?:^|\s)\$[A-Za-z_]\w*$|(?<![A-Za-z\d$])\$[A-Z_][A-Z\d_]*(?![A-Za-z\d])|\{env:|\{file:|%[A-Za-z_]{3,}%|^\{[^}]*\}$/
/** `Authorization` values begin with the scheme. */
const scheme = /^(?:bearer|basic|token|api-?key|key)\s+/i

function isReference(text: string): boolean {
  return text.startsWith('!') || reference.test(text)
}

const maxText = 4096

/** What the value of a variable, header, option or parameter of this name is. */
export function classifyLiteral(name: string, value: string): LiteralKind | undefined {
  // The beginning tells what it is, whatever its length.
  const text = value.slice(0, maxText).trim()
  const [within] = literalsWithin(text)
  if (within) return within.kind
  return classifyWhole(name, text)
}

function classifyWhole(name: string, text: string): LiteralKind | undefined {
  if (text === '' || isReference(text)) return undefined
  const plain = text.replace(scheme, '')
  return isToken(plain) ? kindOf(plain) : classifyNamed(name, plain)
}

function classifyNamed(name: string, plain: string): LiteralKind | undefined {
  return namesSecret(name, plain) && !isHarmless(plain) ? kindOf(plain) : undefined
}

function kindOf(text: string): LiteralKind {
  return isExample(text) ? 'example' : 'secret'
}

/** The literals inside a url or connection string, secrets first. */
export function literalsWithin(text: string): readonly Literal[] {
  if (!/[=@]/.test(text)) return []
  const start = text.slice(0, maxText)
  const found = [
    ...passwordsWithin(start).flatMap((part) => toLiteral(part, classifyPassword(part.value))),
    ...parametersWithin(start).flatMap((part) => toLiteral(part, classifyWhole(part.name, part.value))),
  ]
  return [...found.filter(({ kind }) => kind === 'secret'), ...found.filter(({ kind }) => kind === 'example')]
}

function toLiteral({ name, value, start }: Part, kind: LiteralKind | undefined): readonly Literal[] {
  return kind === undefined ? [] : [{ kind, name, start, end: start + value.length }]
}

function classifyPassword(password: string): LiteralKind | undefined {
  return reference.test(password) || /^\{.*\}$/.test(password) ? undefined : kindOf(password)
}

/** Replaces each literal password of a url or connection string. The end of a very long text belongs to its last one. */
export function maskPasswords(text: string, mask: string): string {
  const start = text.slice(0, maxText)
  return passwordsWithin(start).reduceRight((shown, { value, start: from }) => {
    if (classifyPassword(value) !== 'secret') return shown
    const end = from + value.length
    return `${shown.slice(0, from)}${mask}${end === maxText ? '' : shown.slice(end)}`
  }, text)
}

/** Whether a value must be hidden as a whole: its name says so, or it is a secret by its name and form. */
export function looksSecret(name: string, value: string): boolean {
  const text = value.slice(0, maxText).trim()
  if (text === '') return false
  const isHidden = isSecretName(name) || classifyNamed(name, text.replace(scheme, '')) === 'secret'
  return isHidden && !isReference(text)
}

const isOption = /^--?[a-z][\w.-]*$/i

/** The literal in `--api-key VALUE`, `--api-key=VALUE`, `API_KEY=VALUE`, `--header "Name: VALUE"` or a connection string. */
export function literalInArgument(word: string, before: unknown): Literal | undefined {
  const follows = typeof before === 'string' && isOption.test(before) && !word.startsWith('-')
  const [, assigned] = /^(--?[a-z][\w.-]*|[A-Z][A-Z\d_]*)=./s.exec(word) ?? []
  const option = assigned ?? (follows ? before : '')
  const value = assigned === undefined ? word : word.slice(assigned.length + 1)
  const [intro = '', header] = (isHeaderOption.test(option) && headerIntro.exec(value)) || []
  const name = header ?? option
  const text = value.slice(intro.length)
  const kind = classifyLiteral(name, text)
  if (!kind) return undefined
  const start = word.length - text.length
  const [within] = literalsWithin(text)
  // Without a name, only what is recognizable by its own form counts.
  if (within) return { kind, name: name || within.name, start: start + within.start, end: start + within.end }
  const skipped = scheme.exec(text)?.[0].length ?? 0
  if (header !== undefined) return { kind, name, start: start + skipped, end: word.length }
  // Two small patterns: a single one over a long value would overflow the stack of the regular expression engine.
  const isWord = /^[^-/.~]\S{5}/.test(text) && !/\s/.test(text)
  if (!isWord && !(kind === 'example' && text.startsWith('<'))) return undefined
  return { kind, name: name || 'token', start, end: word.length }
}

const isHeaderOption = /^--?(?:h|header)$/i
const headerIntro = /^([A-Za-z][\w-]{0,63}):\s*(?=\S)/

/** A name that ends so tells about a secret, or where it is. */
const describesSecret =
  /(?:file|path|dir|directory|folder|env|var|variable|name|url|uri|endpoint|host|type|kind|store|stdin|id|ids|header|prefix|suffix|scheme|method|mode|format|length|size|limit|budget|count|backend|engine|vault|domain|label|max|min|ttl|expiry|expires(?:[-_]?in)?|lifetime|timeout|age|scopes?|provider|source|manager|required|enabled|disabled|cache|region|version|algorithm|alg|audience|issuer|rotation|policy|usage)$/i

/** The last word of a name that stands for a secret. */
const lastWord = /(?:^| )(?:(?:pg)?pass|passphrase|passcode|pwd|pat|cookies?)$/i
/** `key` and `auth` name a secret only if the value is random: there are kinds of authentication. */
const weakWord = /(?:^| )(?:key|auth)$/i
/** Keys that identify something or order it. */
const harmlessKey =
  /(?:^| )(?:uuid|guid|project|issue|sort|order|primary|foreign|partition|range|hash|cache|row|column|group|index|map|lookup|routing|public|object|item|event|message|storage) key$/i

/** A cheap first test: most names contain none of these words. */
const mayEndSo = /pass|pwd|pat|cookie|auth|key|^-k$/i

function namesSecret(name: string, value: string): boolean {
  if (hasSecretWord(name)) return !describesSecret.test(name)
  if (!mayEndSo.test(name) || describesSecret.test(name)) return false
  const words = wordsOfName(name)
  if (lastWord.test(words)) return true
  const isWeak = name === '-k' || (weakWord.test(words) && !harmlessKey.test(words))
  return isWeak && (isRandom(value) || asksForText(value))
}

/** Whether letters and digits mix within a word, as in no name or date. */
function isRandom(value: string): boolean {
  if (!/^[\w.~+/=-]{16,}$/.test(value)) return false
  return value.split(/[_.~+/=-]+/).some((word) => /\d/.test(word) && /[A-Za-z]/.test(word))
}

const path =
  /^(?:~|\.{1,2}|[A-Za-z]:)?[\\/]|^[\w.-]+\.(?:json|pem|key|crt|cert|txt|ya?ml|toml|env|p8|p12|pfx)$/i
const address = /^[a-z][a-z\d+.-]*:\/\//i

/** Values that are no secret whatever their name is: switches, numbers, places. */
function isHarmless(value: string): boolean {
  return (
    /^(?:true|false|yes|no|on|off|none|null|nil|undefined|auto|default|required|optional|enabled|disabled|bearer|basic|oauth2?|env|keychain|file|stdin|prompt|anonymous)$/i.test(
      value,
    ) ||
    /^[-+]?\d{1,6}(?:\.\d+)?(?:ms|s|m|h|d|kb|mb|k)?$/i.test(value) ||
    path.test(value) ||
    address.test(value) ||
    /^(?:op|vault|secret|aws-sm|gcp-sm|keyring|pass):/i.test(value)
  )
}

/** Words that ask for another text in their place. */
const asks =
  /^(?:your|yours|here|example|examples|placeholder|changeme|change|replace|replaceme|insert|dummy|sample|todo|fixme|fake|mock|redacted|paste|enter|fill|xxx+|abc+|foo|bar|foobar|lorem|tbd|actual|goes)$/i
/** Words of which a text for a reader consists; a random token has others. */
const describes =
  /^(?:my|the|a|an|some|new|real|this|put|set|use|from|in|of|to|is|me|it|with|api|apikey|key|keys|token|tokens|secret|secrets|password|passwd|pass|access|auth|bearer|personal|private|public|client|user|username|admin|root|test|testing|demo|dev|local|app|service|account|bot|server|mcp|value|string|text|id|x|sk|pk|ghp|github|gitlab|google|gemini|openai|anthropic|claude|slack|notion|brave|postgres|postgresql|mysql|redis|mongo|mongodb|db|database|neon|stripe|figma|linear|jira|aws|azure|supabase|firecrawl|tavily|exa|perplexity|\d{1,6})$/i

function isExample(text: string): boolean {
  if (asksForText(text)) return true
  const words = wordsOf(text)
  return words.length > 0 && words.every((word) => describes.test(word))
}

/** Whether the text itself says that it is to be replaced. */
function asksForText(text: string): boolean {
  if (/^(?:<[^<>]*>|\[[^[\]]*\]|\{\{.*\}\}|__\w+__|x+)$/i.test(text)) return true
  return (
    /\.{3}|…|\*{3}|•{3}|x{4}|<[\w -]+>/i.test(text) ||
    (/0{8}|1234567/.test(text) && isMostlyCounting(text)) ||
    wordsOf(text).some((word) => asks.test(word))
  )
}

/** Whether half of the characters repeat or continue the one before: `1234567890abcdef`. */
function isMostlyCounting(text: string): boolean {
  const codes = Array.from(text, (character) => character.charCodeAt(0))
  const steps = codes.filter((code, at) => {
    const step = code - (codes[at - 1] ?? 0)
    return step === 0 || step === 1 || step === -9 // 9 is followed by 0
  })
  return steps.length * 2 >= codes.length
}

function wordsOf(text: string): readonly string[] {
  const split = text.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').split(/[^\p{L}\d]+/u)
  return split.filter((word) => word !== '')
}
