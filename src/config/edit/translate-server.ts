import type { Json } from '../../model/json.ts'
import type { Auth, Value } from '../../model/server.ts'
import { answersTo, translateValue } from './translate-value.ts'
import type { Translation } from './translate-value.ts'
import type { Lost, NewServer, NewTransport } from '../../sources/entries/write-rules.ts'
import { translateLogin } from './translate-login.ts'
import type { ValueSite } from '../values/value-sites.ts'

export interface Translated {
  readonly server: NewServer
  /** What the other owner has no way to write. */
  readonly lost: readonly Lost[]
}

/** A description with its values in another owner's way of writing. */
export function translateServer(server: NewServer, translation: Translation): Translated {
  const lost: Lost[] = []
  const translate = (site: ValueSite): Value => {
    const { value, reason } = translateValue(site, translation)
    if (reason !== undefined) lost.push({ field: nameOf(site), reason })
    return value
  }
  const login = translateLogin(server, translation, lost)
  const transport = translateTransport(login.transport, translate, translation)
  const { auth: _auth, ...rest } = server
  return {
    server: {
      ...rest,
      transport: login.header === undefined ? transport : withToken(transport, login.header),
      ...(login.auth && { auth: translateAuth(login.auth, translate) }),
    },
    lost,
  }
}

type Translate = (site: ValueSite) => Value

function nameOf({ field, key }: ValueSite): string {
  return field === key ? field : `${field}.${key}`
}

function withToken(transport: NewTransport, header: string): NewTransport {
  if (transport.kind === 'stdio') return transport
  return { ...transport, headers: { Authorization: header, ...transport.headers } }
}

function translateTransport(
  transport: NewTransport,
  translate: Translate,
  translation: Translation,
): NewTransport {
  const text = (site: ValueSite & { readonly value: string }) => asText(translate(site))
  const map = (field: 'env' | 'headers', values: Readonly<Record<string, Value>> = {}) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, translate({ field, key, value })]))
  if (transport.kind !== 'stdio') {
    const { kind, url, headers } = transport
    return {
      kind,
      url: text({ field: 'url', key: 'url', value: url }),
      headers: map('headers', headers),
    }
  }
  const { kind, command, args = [], env, cwd, envFile } = transport
  return {
    kind,
    command: text({ field: 'command', key: 'command', value: command }),
    args: args.flatMap(
      (value, key) => answersTo(value, translation) ?? [text({ field: 'args', key, value })],
    ),
    env: map('env', env),
    ...(cwd !== undefined && { cwd: text({ field: 'cwd', key: 'cwd', value: cwd }) }),
    ...(envFile !== undefined && { envFile: text({ field: 'envFile', key: 'envFile', value: envFile }) }),
  }
}

/** Only values of `env` and `headers` become names; everything else comes back as a text. */
function asText(value: Value): string {
  return typeof value === 'string' ? value : `\${${value.env}}`
}

/** Keys that hold the name of a variable, not a text to expand. */
const names = ['type', 'tokenEnv', 'clientSecretEnv']

function translateAuth(auth: Auth, translate: Translate): Auth {
  const fields = Object.entries(auth).map(([key, value]): readonly [string, Json | undefined] => [
    key,
    typeof value === 'string' && !names.includes(key)
      ? asText(translate({ field: 'auth', key, value }))
      : value,
  ])
  return { ...Object.fromEntries(fields), type: auth.type }
}
