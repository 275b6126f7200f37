import type { Auth, Value } from '../../model/server.ts'
import { bearerVariable, translateValue } from './translate-value.ts'
import type { Translation } from './translate-value.ts'
import type { Lost, NewServer, NewTransport } from '../../sources/entries/write-rules.ts'

export interface Login {
  readonly transport: NewTransport
  readonly auth?: Auth | undefined
  /** An `Authorization` in the other owner's words already. */
  readonly header?: string
}

/**
 * A token is a header, which every owner can hold, as long as the variable it is in can be written there. Where it cannot,
 * it is a way to log in that names the variable.
 */
export function translateLogin(server: NewServer, translation: Translation, lost: Lost[]): Login {
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
  lost: Lost[],
): Login {
  const site = { field: 'headers', key: 'Authorization', value: token } as const
  const { value, reason } = translateValue(site, translation)
  if (typeof value !== 'string') return { transport, auth: { type: 'bearer', tokenEnv: value.env } }
  if (reason !== undefined) lost.push({ field: 'headers.Authorization', reason })
  if (auth?.['oauth'] !== undefined) {
    lost.push({ field: 'auth.oauth', reason: 'The token is written, and a login beside it is not.' })
  }
  return { transport, header: `Bearer ${value}` }
}

function tokenOf({ type, token, tokenEnv, value }: Auth): Value | undefined {
  if (type === 'apiKey') return typeof value === 'string' ? value : undefined
  if (type !== 'bearer') return undefined
  if (typeof tokenEnv === 'string') return { env: tokenEnv }
  return typeof token === 'string' ? token : undefined
}
