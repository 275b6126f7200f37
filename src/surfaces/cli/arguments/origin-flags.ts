import { redactWords } from '../../../internal.ts'
import { quote } from '../../terminal/argv.ts'

/** Flags that decide where servers come from. Proposed commands repeat them, so that they find the same servers. */
export interface OriginFlags {
  readonly preset?: string
  readonly config?: string
  readonly source?: readonly string[]
  readonly stdio?: string
  readonly url?: string
  /** `K=V` each, of the server that `--stdio` or `--url` names. */
  readonly env?: readonly string[]
  readonly header?: readonly string[]
}

const verbs =
  'add|call|disable|doctor|enable|list|login|logout|logs|prompt|prompts|read|remove|resources|search|skills|test|tool|tools|trust|untrust|why'
const proposal = new RegExp(`\\bplugboard (${verbs})(?= |$|[.,:;)])(?! --(?:preset|config|source)\\b)`, 'gm')
/** The commands that take `--stdio` and `--url`. */
const givenVerbs = /^(?:call|prompts?|read|resources|search|skills|test|tools?)$/

/** Adds the origin flags of this command line to every command that a text proposes. Secrets in them are masked. */
export function withSameFlags(
  text: string,
  { stdio: program, url: address, ...others }: OriginFlags,
): string {
  const stdio = program === undefined ? undefined : redactWords(program)
  const url = address === undefined ? undefined : redactWords(address)
  const flags = { ...others, ...(stdio !== undefined && { stdio }), ...(url !== undefined && { url }) }
  const same = wordsOf(flags)
  const endpoint = stdio === undefined ? wordsFor('--url', url) : wordsFor('--stdio', stdio)
  const given = endpoint.length === 0 ? [] : [...endpoint, ...valuesOf(flags)]
  if (same.length + given.length === 0) return text
  const usable = given.length === 0 ? text : withoutDeclaration(text, flags)
  return usable.replaceAll(proposal, (command, verb: string) =>
    [command, ...[...same, ...(givenVerbs.test(verb) ? given : [])].map((word) => quote(word))].join(' '),
  )
}

/** The flags `--env` and `--header` without their values, which may be secret. A value that is one variable is repeated. */
function valuesOf({ env = [], header = [] }: OriginFlags): readonly string[] {
  const withoutValue = (item: string) =>
    /^[^=:\s]+\s*[=:]\s*\$\{\w+\}$/.test(item) ? item : item.replace(/[\s=:].*$/s, '=…')
  return [
    ...env.flatMap((item) => ['--env', withoutValue(item)]),
    ...header.flatMap((item) => ['--header', withoutValue(item)]),
  ]
}

/** What hints say about the entry of a server, and what applies to one without an entry instead. */
const withoutEntry: readonly (readonly [RegExp, string])[] = [
  [/See its output(?: \([^()]*\))?, or allow more time: "\w+" in its entry\./g, 'Allow more time: --timeout'],
  [/See its output(?: \([^()]*\))?, or allow more time: /g, 'Allow more time: '],
  [/put its full path into the entry/g, 'write its full path'],
  [/Put other credentials into the "headers" or "auth" of its entry/g, 'Put other credentials into --header'],
  [/Change its entry/g, 'Change the command or the address'],
  // There is nothing to look at: what the server said is printed above the hint.
  [/\s*See (?:its output|what decides that): (?:plugboard .*|events "server\.said")$/gm, ''],
  [/(?<!From now on: )plugboard list(?: (?:'[^']*'|[^\s'.]+))?/g, 'plugboard tools'],
  [/plugboard test (?:'[^']*'|[^\s'.]+)/g, 'plugboard test'],
]

/** A server that no config declares has no declaration or log to look at, and has to be added before a login. */
function withoutDeclaration(text: string, { stdio, url = '' }: OriginFlags): string {
  const endpoint = stdio === undefined ? quote(url) : `-- ${stdio}`
  return withoutEntry
    .reduce((before, [pattern, instead]) => before.replaceAll(pattern, instead), text)
    .replaceAll(/ \((?:plugboard (?:doctor|logs|why) [^()]*|events "server\.said")\)/g, '')
    .replaceAll(': events "server.said"', '.')
    .replaceAll(/login\("(\S+)"\) of plugboard\/auth/g, 'plugboard login $1')
    .replaceAll(/: plugboard (?:doctor|logs|why)\b.*$/gm, '.')
    .replaceAll(
      /plugboard login (\S+)/g,
      (login, name: string) => `plugboard add ${name} ${endpoint} && ${login}`,
    )
}

function wordsOf({ preset, config, source = [] }: OriginFlags): readonly string[] {
  return [
    ...wordsFor('--preset', preset),
    ...wordsFor('--config', config),
    ...source.flatMap((id) => ['--source', id]),
  ]
}

function wordsFor(flag: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [flag, value]
}

/** Reads the origin flags from a command line that may be invalid. */
export function originFlagsIn(words: readonly string[]): OriginFlags {
  const end = words.includes('--') ? words.indexOf('--') : words.length
  const all = (flag: string) =>
    words.slice(0, end).flatMap((word, at) => {
      if (word.startsWith(`--${flag}=`)) return [word.slice(flag.length + 3)]
      const next = words[at + 1]
      return word === `--${flag}` && next !== undefined ? [next] : []
    })
  const [preset] = all('preset')
  const [config] = all('config')
  // For `add`, --url is the server itself.
  const [stdio] = all('stdio')
  const [url] = words[0] === 'add' ? [] : all('url')
  return {
    ...(preset !== undefined && { preset }),
    ...(config !== undefined && { config }),
    source: all('source'),
    ...(stdio !== undefined && { stdio }),
    ...(url !== undefined && { url }),
    ...(stdio !== undefined && { env: all('env') }),
    ...(url !== undefined && { header: all('header') }),
  }
}
