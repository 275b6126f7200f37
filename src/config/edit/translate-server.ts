import { HostError } from '../../model/error.ts'
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
  const translate: Translate = (site, known) => {
    const translated = known ?? translateValue(site, translation)
    const { reason } = translated
    if (translated.isLeftOut && isNeeded(site)) throw neededError(server.name, site, translated)
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
      ...(launch && translateLaunch(launch, translation, lost)),
    },
    lost,
  }
}

/** The program to start by hand. It is for a shell, so it is left out as a whole if a text of it would be resolved there. */
function translateLaunch(
  launch: NewLaunch,
  translation: Translation,
  lost: LostField[],
): Pick<NewServer, 'launch'> {
  let taken: string | undefined
  const translate: Translate = (site, known) => {
    const translated = known ?? translateValue(site, translation)
    if (translated.isLeftOut) taken ??= translated.reason
    return translated
  }
  const { command, args = [], env = {} } = translateProgram(launch, translate, translation)
  if (taken === undefined) return { launch: { command, args, env } }
  lost.push({ field: 'launch', reason: taken })
  return {}
}

/** Translates the value of a site, and records what is lost. `known` is its translation, if there is one already. */
type Translate = (site: ValueSite, known?: TranslatedValue) => TranslatedValue

/** Whether a server would be another one without this value: its command, an argument or its address. */
function isNeeded({ field }: ValueSite): boolean {
  return field === 'command' || field === 'args' || field === 'url'
}

function neededError(server: string, site: ValueSite, { reason = '' }: TranslatedValue): HostError {
  const why = reason.replace(/; it is left out\.$/, ', which it cannot do without.')
  return new HostError('config.invalid', { server }, `${nameOf(site)} of "${server}": ${why}`, {
    hint: 'Declare it by hand, with a variable that holds the text.',
  })
}

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
  const text = (site: ValueSite) => asText(translate(site))
  const optional = (field: 'cwd' | 'envFile', value: string | undefined) => {
    const translated = value === undefined ? undefined : translate({ field, key: field, value })
    return translated && !translated.isLeftOut ? { [field]: asText(translated) } : {}
  }
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
    ...optional('cwd', cwd),
    ...optional('envFile', envFile),
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
      (value, key) =>
        listAnswers(value, translation)?.map((answer) =>
          asText(translate({ field: 'args', key, value }, answer)),
        ) ?? [asText(translate({ field: 'args', key, value }))],
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
    translated.filter(({ isLeftOut }) => !isLeftOut).map(({ key, value }) => [key, value]),
  )
}

/** Only values of `env` and `headers` can be `{ env }`; in other fields the variable becomes a placeholder. */
function asText({ value }: TranslatedValue): string {
  return typeof value === 'string' ? value : `\${${value.env}}`
}

/** Keys of a login that are copied as they are: its type and the names of variables. */
const names = ['type', 'tokenEnv', 'clientSecretEnv']

function translateAuth(auth: Auth, translate: Translate): Auth {
  const fields = Object.entries(auth).flatMap(([key, value]): readonly [string, Json | undefined][] => {
    if (typeof value !== 'string' || names.includes(key)) return [[key, value]]
    const translated = translate({ field: 'auth', key, value })
    return translated.isLeftOut ? [] : [[key, asText(translated)]]
  })
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
  const site = { field: 'auth', key: 'token', value: token } as const
  const prefix = 'Bearer '
  const { value, reason, isLeftOut } = translateValue(site, translation, { field: 'headers', prefix })
  if (typeof value !== 'string') return { transport, auth: { type: 'bearer', tokenEnv: value.env } }
  if (reason !== undefined) lost.push({ field: 'headers.Authorization', reason })
  if (isLeftOut) return { transport }
  if (auth?.['oauth'] !== undefined) {
    lost.push({ field: 'auth.oauth', reason: 'Only the token is copied, not the OAuth login.' })
  }
  return { transport, header: `${prefix}${value}` }
}

function tokenOf({ type, token, tokenEnv, value }: Auth): Value | undefined {
  if (type === 'apiKey') return typeof value === 'string' ? value : undefined
  if (type !== 'bearer') return undefined
  if (typeof tokenEnv === 'string') return { env: tokenEnv }
  return typeof token === 'string' ? token : undefined
}
