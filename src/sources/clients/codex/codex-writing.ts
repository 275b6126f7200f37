import { isObject } from '../../../model/json.ts'
import type { Json, JsonObject } from '../../../model/json.ts'
import type { Auth } from '../../../model/server.ts'
import { writeClient } from '../write-oauth.ts'
import type { Lost, VariableNames, WriteRules } from '../../entries/write-rules.ts'

/** Codex expands nothing: what comes from a variable stands under a key that takes its name. */
export const codexWrites: WriteRules = {
  auth: writeAuth,
  variables: writeNames,
  valueKeys: ['env_vars', 'env_http_headers'],
  boundKeys: [
    'bearer_token_env_var',
    'http_headers_helper',
    'auth',
    'scopes',
    'oauth',
    'oauth_resource',
    'environment_id',
  ],
}

/** A variable of the server is handed on under its own name only. */
function writeNames({ env, headers }: VariableNames): ReturnType<NonNullable<WriteRules['variables']>> {
  const handed = Object.keys(env).filter((name) => env[name] === name)
  const renamed = Object.entries(env).filter(([name, variable]) => name !== variable)
  return {
    entry: {
      ...(handed.length > 0 && { env_vars: handed }),
      ...(Object.keys(headers).length > 0 && { env_http_headers: headers }),
    },
    rest: { env: Object.fromEntries(renamed), headers: {} },
  }
}

const writeFields = writeClient({ fields: { clientId: 'client_id', callbackPort: 'callback_port' } })

function writeAuth({ type, tokenEnv, oauth, ...client }: Auth, lost: Lost[]): JsonObject | undefined {
  if (type === 'bearer' && typeof tokenEnv === 'string') {
    return { bearer_token_env_var: tokenEnv, ...(isObject(oauth) && writeLogin(oauth, lost)) }
  }
  if (type !== 'oauth' && type !== 'chatgpt') return undefined
  const login = writeLogin(client, lost)
  return type === 'chatgpt' ? { auth: type, ...login } : login
}

/** The client is a table; its scopes and its resource stand beside it. */
function writeLogin(
  { scopes, resource, ...client }: Readonly<Record<string, Json | undefined>>,
  lost: Lost[],
): JsonObject {
  const oauth = writeFields({ ...client, type: 'oauth' }, lost) ?? {}
  return {
    ...(Object.keys(oauth).length > 0 && { oauth }),
    ...(scopes !== undefined && { scopes }),
    ...(resource !== undefined && { oauth_resource: resource }),
  }
}
