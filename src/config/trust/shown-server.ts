import type { Json } from '../../model/json.ts'
import type { Server, Tls, Values } from '../../model/server.ts'
import { isLoginSecret, shownTexts } from './shown-texts.ts'
import type { ShownTexts } from './shown-texts.ts'

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
