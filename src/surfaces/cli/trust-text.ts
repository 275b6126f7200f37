import type { Json, JsonObject, Server } from '../../index.ts'
import { redactArguments, redactText, redactWords } from '../../config.ts'

/** How the texts of a server are shown to whoever is asked to trust it. */
export interface ShownTexts {
  /** The key it stands under tells whether a text of the person's is a secret. */
  readonly text: (text: string, key?: string) => string
  readonly args: (args: readonly string[]) => readonly string[]
  /** A value of `env`, `headers` or a login, by its name. */
  readonly value: (name: string, text: string) => string
}

/**
 * What the project wrote is shown as it stands, since a mask would hide code in it. What came from files of the
 * person is theirs, and its secrets stay hidden.
 */
export function shownTexts({ declared }: Pick<Server, 'declared'>): ShownTexts {
  const theirs = declared.filter(({ origin }) => origin.authority === 'project')
  const words = theirs.flatMap(({ entry }) => textsIn(entry))
  const isTheirs = (text: string) =>
    theirs.length === declared.length || words.some((word) => word.includes(text))
  return {
    text: (text, key) => (isTheirs(text) ? text : redactWords(redactText(text, key))),
    args(args) {
      const hidden = redactArguments(args)
      return args.map((arg, index) => (isTheirs(arg) ? arg : (hidden[index] ?? '')))
    },
    value: (name, text) => (isTheirs(text) ? shorten(name, text) : redactWords(redactText(text, name))),
  }
}

/** Nothing that a shell, a loader or a path could make something of. */
const harmless = /^(?:(?:Bearer|Basic|Token) )?[\w.~+=:-]+$/i
const loads =
  /^(?:LD_\w+|DYLD_\w+|NODE_(?:OPTIONS|PATH)|PYTHON(?:PATH|HOME|STARTUP)|PERL5(?:OPT|LIB)|RUBY(?:OPT|LIB)|_?JAVA_(?:TOOL_)?OPTIONS|BASH_ENV|ENV|SHELLOPTS|GIT_(?:SSH|SSH_COMMAND|EXEC_PATH|ASKPASS|CONFIG\w*)|npm_config_.*|PATH)$/i

/** A variable that decides what a program loads or runs, whatever its command line says. */
export function isLoader(name: string): boolean {
  return loads.test(name)
}

function shorten(name: string, text: string): string {
  const isSecret = redactText(text, name) !== text
  return isSecret && harmless.test(text) && !isLoader(name) ? `${text.slice(0, 4)}…` : text
}

/** One line for each key of an entry, complete, also of keys that we do not know. */
export function entryLines(
  entry: JsonObject,
  { transport }: Pick<Server, 'transport'>,
  shown: ShownTexts,
): readonly string[] {
  const login = Object.entries(transport.auth ?? {}).filter(([key]) => isLoginSecret(key))
  const maps: readonly ReadonlyMap<string, unknown>[] = [
    new Map(Object.entries(transport.env ?? {})),
    new Map(Object.entries(transport.kind === 'stdio' ? {} : transport.headers)),
    new Map(login),
  ]
  const isValue = (key: string, text: string) => maps.some((map) => map.get(key) === text)
  const show = (value: Json, key: string): Json => {
    if (typeof value === 'string')
      return isValue(key, value) ? shown.value(key, value) : shown.text(value, key)
    if (Array.isArray(value)) return showList(value as readonly Json[]) // Array.isArray does not narrow a readonly union
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, show(item, name)]))
  }
  const showList = (items: readonly Json[]): Json => {
    const texts = items.filter((item) => typeof item === 'string')
    return texts.length === items.length ? shown.args(texts) : items.map((item) => show(item, ''))
  }
  return Object.entries(entry).map(([key, value]) => `${key}: ${JSON.stringify(show(value, key))}`)
}

/** Other keys of a login name variables, addresses or programs. */
export function isLoginSecret(key: string): boolean {
  return /^(?:clientSecret|password|token)$/i.test(key)
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap((item) => textsIn(item))
    : []
}
