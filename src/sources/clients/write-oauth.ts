import type { Json } from '../../model/json.ts'
import { withoutAbsent } from './oauth-fields.ts'
import { noKey } from '../entries/write-rules.ts'
import type { WriteRules } from '../entries/write-rules.ts'

type WriteAuth = NonNullable<WriteRules['auth']>

interface LoginShape {
  /** The owner's word for each field that it has. */
  readonly fields: Readonly<Record<string, string>>
  /** Scopes stand in one text with spaces between. */
  readonly scopes?: 'text'
}

/** The fields of an OAuth client in an owner's words. */
export function writeClient({ fields, scopes }: LoginShape): WriteAuth {
  return (auth, lost) => {
    if (auth.type !== 'oauth') return undefined
    const { type: _type, ...given } = withoutAbsent(auth)
    return Object.fromEntries(
      Object.entries(given).flatMap(([name, value]) => {
        const key = Object.hasOwn(fields, name) ? fields[name] : undefined
        if (key !== undefined) return [[key, name === 'scopes' && scopes === 'text' ? toText(value) : value]]
        lost.push({ field: `auth.${name}`, reason: noKey })
        return []
      }),
    )
  }
}

/** The same as one object. Without a field there is nothing to say: who is asked to log in does so. */
export function writeOAuth(key: string, shape: LoginShape, off?: 'false'): WriteAuth {
  const writeFields = writeClient(shape)
  return (auth, lost) => {
    if (auth.type === 'none' && off === 'false') return { [key]: false }
    const client = writeFields(auth, lost)
    return client && Object.keys(client).length > 0 ? { [key]: client } : client
  }
}

/** Fields whose names in the file are our own. */
export function sameNames(...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, name]))
}

function toText(value: Json): Json {
  return Array.isArray(value) ? value.join(' ') : value
}
