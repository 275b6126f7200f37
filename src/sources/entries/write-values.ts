import type { JsonObject } from '../../model/json.ts'
import type { Value } from '../../model/server.ts'
import { noKey } from './write-rules.ts'
import type { Lost, NewServer, NewTransport, VariableNames, WriteRules } from './write-rules.ts'

interface ValueContext {
  readonly variables: WriteRules['variables']
  /** The keys of the login; nothing if there are none for this way. */
  readonly login: JsonObject | undefined
  readonly lost: Lost[]
}

/** Every value as a text, except for names of variables that the owner keeps under keys of their own. */
export function writeValues(
  server: NewServer,
  context: ValueContext,
): { readonly transport: NewTransport<string>; readonly named: JsonObject } {
  const transport = withBearer(server, context)
  const { texts, names } = split(transport.kind === 'stdio' ? transport.env : transport.headers)
  const place = transport.kind === 'stdio' ? 'env' : 'headers'
  const wanted: VariableNames = { env: {}, headers: {}, [place]: names }
  const { entry, rest } = context.variables?.(wanted) ?? { entry: {}, rest: wanted }
  const values = { ...texts, ...asTexts(place, rest[place], context.lost) }
  return {
    transport: transport.kind === 'stdio' ? { ...transport, env: values } : { ...transport, headers: values },
    named: entry,
  }
}

/** A token in a variable is a header where the owner has no other place for it. */
function withBearer({ transport, auth }: NewServer, { login, lost }: ValueContext): NewTransport {
  if (!auth || login) return transport
  const { type, tokenEnv } = auth
  if (transport.kind === 'stdio' || type !== 'bearer' || typeof tokenEnv !== 'string') {
    lost.push({ field: 'auth', reason: noKey })
    return transport
  }
  const token = `Bearer \${${tokenEnv}}`
  lost.push({ field: 'headers.Authorization', reason: noVariable(token) })
  return { ...transport, headers: { Authorization: token, ...transport.headers } }
}

function split(values: Readonly<Record<string, Value>> = {}) {
  const texts: Record<string, string> = {}
  const names: Record<string, string> = {}
  for (const [key, value] of Object.entries(values)) {
    if (typeof value === 'string') texts[key] = value
    else names[key] = value.env
  }
  return { texts, names }
}

function asTexts(place: string, names: Readonly<Record<string, string>>, lost: Lost[]) {
  return Object.fromEntries(
    Object.entries(names).map(([key, name]) => {
      const text = `\${${name}}`
      lost.push({ field: `${place}.${key}`, reason: noVariable(text) })
      return [key, text]
    }),
  )
}

function noVariable(text: string): string {
  return `It has no way to write ${text}; the text stays as it is.`
}
