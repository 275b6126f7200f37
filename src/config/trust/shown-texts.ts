import type { Json } from '../../model/json.ts'
import type { Server } from '../../model/server.ts'
import { redactArguments, redactText, redactWords } from '../redact-text.ts'

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
    theirs.length > 0 && (theirs.length === declared.length || words.some((word) => word.includes(text)))
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
