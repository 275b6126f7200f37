import type { Json } from '../../model/json.ts'
import type { Auth, Value } from '../../model/server.ts'
import { bearerVariable, listAnswers, translateValue } from './translate-value.ts'
import type { TranslatedValue, Translation } from './translate-value.ts'
import type { LostField, NewLaunch, NewServer, NewTransport } from '../../sources/entries/write-rules.ts'
import type { ValueSite } from '../values/value-sites.ts'

export interface TranslatedServer {
  readonly server: NewServer
  /** Fields that the target cannot express. */
  readonly lost: readonly LostField[]
}

/** Translates the values of a description into the target's syntax. */
export function translateServer(server: NewServer, translation: Translation): TranslatedServer {
  const lost: LostField[] = []
  const translate = (site: ValueSite): TranslatedValue => {
    const translated = translateValue(site, translation)
    const { reason } = translated
    if (reason !== undefined) lost.push({ field: nameOf(site), reason })
    return translated
  }
  const login = translateLogin(server, translation, lost)
  const transport = translateTransport(login.transport, translate, translation)
  const { auth: _auth, launch, ...rest } = server
  return {
    server: {
      ...rest,
      transport: login.header === undefined ? transport : withToken(transport, login.header),
      ...(login.auth && { auth: translateAuth(login.auth, translate) }),
      ...(launch && { launch: translateLaunch(launch, translation) }),
    },
    lost,
  }
}

function translateLaunch(launch: NewLaunch, translation: Translation): NewLaunch {
  const translate = (site: ValueSite) => translateValue(site, translation)
  const { command, args = [], env = {} } = translateProgram(launch, translate, translation)
  return { command, args, env }
}

type Translate = (site: ValueSite) => TranslatedValue

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
  if (transport.kind !== 'stdio') {
    const { kind, url, headers } = transport
    return {
      kind,
      url: text({ field: 'url', key: 'url', value: url }),
      headers: translateMap('headers', headers, translate),
    }
  }
  const { kind, cwd, envFile } = transport
  return {
    kind,
    ...translateProgram(transport, translate, translation),
    ...(cwd !== undefined && { cwd: text({ field: 'cwd', key: 'cwd', value: cwd }) }),
    ...(envFile !== undefined && { envFile: text({ field: 'envFile', key: 'envFile', value: envFile }) }),
  }
}

type Program = Pick<NewTransport & { kind: 'stdio' }, 'command' | 'args' | 'env'>

function translateProgram(
  { command, args = [], env }: Program,
  translate: Translate,
  translation: Translation,
): Program {
  return {
    command: asText(translate({ field: 'command', key: 'command', value: command })),
    args: args.flatMap(
      (value, key) => listAnswers(value, translation) ?? [asText(translate({ field: 'args', key, value }))],
    ),
    env: translateMap('env', env, translate),
  }
}

function translateMap(
  field: 'env' | 'headers',
  values: Readonly<Record<string, Value>> = {},
  translate: Translate,
): Readonly<Record<string, Value>> {
  const translated = Object.entries(values).map(([key, value]) => {
    const found = translate({ field, key, value })
    return { key, ...found }
  })
  return Object.fromEntries(
    translated.filter(({ isOptional }) => !isOptional).map(({ key, value }) => [key, value]),
  )
}

/** Only values of `env` and `headers` can be `{ env }`; in other fields the variable becomes a placeholder. */
function asText({ value }: TranslatedValue): string {
  return typeof value === 'string' ? value : `\${${value.env}}`
}

/** Keys of a login that are copied as they are: its type and the names of variables. */
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

interface Login {
  readonly transport: NewTransport
  readonly auth?: Auth | undefined
  /** An `Authorization` header that is already translated. */
  readonly header?: string
}

/**
 * Writes a bearer token as an `Authorization` header, which every owner supports, if the target can refer to its variable
 * in a header. Otherwise writes a bearer login that names the variable.
 */
function translateLogin(server: NewServer, translation: Translation, lost: LostField[]): Login {
  const { transport, auth } = server
  if (transport.kind === 'stdio') return { transport, auth }
  const { headers = {} } = transport
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'authorization')
  const token = auth && tokenOf(auth)
  if (auth && token !== undefined && name === undefined) {
    return toHeader({ transport, auth }, token, translation, lost)
  }
  const site = { field: 'headers', key: name ?? '', value: headers[name ?? ''] ?? '' } as const
  const variable = auth || name === undefined ? undefined : bearerVariable(site, translation)
  if (variable === undefined || translateValue(site, translation).reason === undefined)
    return { transport, auth }
  const others = Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name))
  return { transport: { ...transport, headers: others }, auth: { type: 'bearer', tokenEnv: variable } }
}

function toHeader(
  { transport, auth }: Required<Pick<Login, 'transport' | 'auth'>>,
  token: Value,
  translation: Translation,
  lost: LostField[],
): Login {
  const site = { field: 'headers', key: 'Authorization', value: token } as const
  const { value, reason } = translateValue(site, translation)
  if (typeof value !== 'string') return { transport, auth: { type: 'bearer', tokenEnv: value.env } }
  if (reason !== undefined) lost.push({ field: 'headers.Authorization', reason })
  if (auth?.['oauth'] !== undefined) {
    lost.push({ field: 'auth.oauth', reason: 'Only the token is copied, not the OAuth login.' })
  }
  return { transport, header: `Bearer ${value}` }
}

function tokenOf({ type, token, tokenEnv, value }: Auth): Value | undefined {
  if (type === 'apiKey') return typeof value === 'string' ? value : undefined
  if (type !== 'bearer') return undefined
  if (typeof tokenEnv === 'string') return { env: tokenEnv }
  return typeof token === 'string' ? token : undefined
}
