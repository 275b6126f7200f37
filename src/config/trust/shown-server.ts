import type { Json } from '../../model/json.ts'
import type { Server, Tls, Values } from '../../model/server.ts'
import { redactArguments, redactText, redactWords } from '../redact-text.ts'

type Texts = Readonly<Record<string, string>>

interface ShownProgram {
  readonly command: string
  readonly args: readonly string[]
}

/** What a server would run or reach, as whoever is asked to trust it is shown it: unexpanded, and without secrets. */
export type ShownServer = { readonly env: Texts; readonly login?: Readonly<Record<string, Json>> } & (
  | (ShownProgram & {
      readonly kind: 'stdio'
      readonly cwd?: string
      /** It gets the whole environment. */
      readonly inheritEnv?: true
    })
  | {
      readonly kind: 'http' | 'sse'
      readonly url: string
      readonly socketPath?: string
      readonly headers: Texts
      readonly tls?: Tls
      /** What runs first, so that the address exists. */
      readonly launch?: ShownProgram
    }
)

export function showServer(server: Server): ShownServer {
  const { transport } = server
  const shown = shownTexts(server)
  const common = {
    env: showValues(transport.env ?? {}, shown),
    ...(transport.auth && { login: showLogin(transport.auth, shown) }),
  }
  if (transport.kind === 'stdio') {
    const { kind, cwd, inheritEnv } = transport
    return {
      kind,
      ...showProgram(transport, shown),
      ...(cwd !== undefined && { cwd }),
      ...(inheritEnv && { inheritEnv }),
      ...common,
    }
  }
  const { kind, url, socketPath, headers, tls, launch } = transport
  return {
    kind,
    url: shown.text(url),
    ...(socketPath !== undefined && { socketPath }),
    headers: showValues(headers, shown),
    ...(tls && { tls }),
    ...(launch && { launch: showProgram(launch, shown) }),
    ...common,
  }
}

function showProgram({ command, args }: ShownProgram, shown: ShownTexts): ShownProgram {
  return { command: shown.text(command), args: shown.args(args) }
}

function showValues(values: Values, shown: ShownTexts): Texts {
  return mapEntries(values, (name, value) =>
    typeof value === 'string' ? shown.value(name, value) : `\${${value.env}}`,
  )
}

function showLogin(auth: NonNullable<Server['transport']['auth']>, shown: ShownTexts) {
  return mapEntries(auth, (name, value): Json => {
    if (typeof value !== 'string') return value ?? null
    return isLoginSecret(name) ? shown.value(name, value) : shown.text(value, name)
  })
}

function mapEntries<V, T>(
  values: Readonly<Record<string, V>>,
  change: (name: string, value: V) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(name, value)]))
}

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
