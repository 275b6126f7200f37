import { parseObject } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Platform } from '../../platform/platform.ts'
import { AuthError } from '../auth-error.ts'
import { fetchIssuerMetadata } from '../discovery.ts'
import { createGuardedHttp, guardFor, parseJsonObject } from '../guarded-http.ts'

export interface IssuerPlace {
  readonly issuer: string
  /** The address or the absolute path of its JWK Set; by default the issuer says it. */
  readonly jwks?: string | undefined
}

export interface LoadOptions {
  readonly platform: Pick<Platform, 'http' | 'clock' | 'env' | 'files'>
  readonly signal?: AbortSignal | undefined
}

const maxFile = 1024 * 1024

/** Reads the JWK Set of an issuer: from a file, from an address, or from the one that the metadata of the issuer names. */
export async function loadIssuerKeys(
  { issuer, jwks }: IssuerPlace,
  options: LoadOptions,
): Promise<JsonObject> {
  const { platform, signal } = options
  if (jwks !== undefined && !isAddress(jwks)) {
    const bytes = await platform.files.readBytes(jwks, { maxBytes: maxFile })
    const keys = parseObject(Buffer.from(bytes).toString('utf8'))
    if (!keys) throw new AuthError('unusable', `${jwks} is no JWK Set.`)
    return keys
  }
  // T29: what the person names may be in a private network; what the issuer names may not.
  const send = createGuardedHttp({
    platform,
    guard: guardFor(new URL(issuer), { ...(jwks !== undefined && { issuer: jwks }) }),
    signal,
  })
  const url = new URL(jwks ?? (await namedBy(issuer, send)))
  const response = await send({ what: 'the keys of the issuer', method: 'GET', url })
  const keys = response.status === 200 ? parseJsonObject(response) : undefined
  if (keys) return keys
  throw new AuthError(
    'unusable',
    `${url.origin}${url.pathname} answered with HTTP ${response.status} and no JWK Set.`,
  )
}

async function namedBy(issuer: string, send: ReturnType<typeof createGuardedHttp>): Promise<string> {
  const uri = (await fetchIssuerMetadata(issuer, undefined, send))?.['jwks_uri']
  if (typeof uri === 'string' && URL.canParse(uri)) return uri
  throw new AuthError('undiscovered', `${issuer} does not say where its keys are.`)
}

function isAddress(jwks: string): boolean {
  return /^https?:\/\//i.test(jwks)
}
