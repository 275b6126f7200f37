import type { Json } from '../../model/json.ts'
import { isLoader } from '../values/loader-variables.ts'
import type { Server, Tls, Values } from '../../model/server.ts'
import { redactArguments, redactText, redactWords } from '../redact-text.ts'

/** A program with its arguments, as a person is shown it. */
export interface ShownProgram {
  readonly command: string
  readonly args: readonly string[]
}

/** What a server would run or reach, as displayed when a person decides on trust: unexpanded, with secrets masked. */
export type ShownServer = {
  readonly env: Readonly<Record<string, string>>
  readonly login?: Readonly<Record<string, Json>>
} & (
  | (ShownProgram & {
      readonly kind: 'stdio'
      readonly cwd?: string
      /** The server inherits the whole environment. */
      readonly inheritEnv?: true
    })
  | {
      readonly kind: 'http' | 'sse' | 'channel'
      readonly url: string
      readonly socketPath?: string
      readonly headers: Readonly<Record<string, string>>
      readonly tls?: Tls
      /** The program that is started first and serves the address. */
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

function showValues(values: Values, shown: ShownTexts): Readonly<Record<string, string>> {
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

/** Formats the texts of a server for a trust decision. */
export interface ShownTexts {
  /** The key above a text from the user's own files decides whether it is a secret. */
  readonly text: (text: string, key?: string) => string
  readonly args: (args: readonly string[]) => readonly string[]
  /** A value of `env`, `headers` or a login, by its name. */
  readonly value: (name: string, text: string) => string
}

/** Texts of the project are shown unmasked, because a mask could hide code. Secrets from the user's own files are masked. */
export function shownTexts({ declared }: Pick<Server, 'declared'>): ShownTexts {
  const ofProject = declared.filter(({ origin }) => origin.authority === 'project')
  const texts = ofProject.flatMap(({ entry }) => textsIn(entry))
  const isOfProject = (text: string) =>
    ofProject.length > 0 &&
    (ofProject.length === declared.length || texts.some((each) => each.includes(text)))
  return {
    text: (text, key) => (isOfProject(text) ? text : redactWords(redactText(text, key))),
    args(args) {
      const hidden = redactArguments(args)
      return args.map((arg, index) => (isOfProject(arg) ? arg : (hidden[index] ?? '')))
    },
    value: (name, text) => (isOfProject(text) ? shorten(name, text) : redactWords(redactText(text, name))),
  }
}

/** Texts without a character that means something to a shell, a loader or a path: safe to shorten. */
const harmless = /^(?:(?:Bearer|Basic|Token) )?[\w.~+=:-]+$/i

/** Shortens a plain secret to its first characters. A text that could be code is always shown in full. */
function shorten(name: string, text: string): string {
  const isSecret = redactText(text, name) !== text
  return isSecret && harmless.test(text) && !isLoader(name) ? `${text.slice(0, 4)}…` : text
}

/** Keys of a login that hold a secret; the others hold names of variables, addresses or programs. */
export function isLoginSecret(key: string): boolean {
  return /^(?:clientSecret|password|token)$/i.test(key)
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null
    ? Object.values(value).flatMap((item) => textsIn(item))
    : []
}
