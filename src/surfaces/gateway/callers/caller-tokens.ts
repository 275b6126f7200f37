import { resolve, dirname } from 'node:path'
import { believePlatform, callerOfClaims, matchGlob, settingsFile } from '../../../internal.ts'
import type { TokenIssuer } from '../../../internal.ts'
import { createTokenJudge, loadIssuerKeys } from '../../../tokens.ts'
import type { TokenVerdict } from '../../../tokens.ts'
import type { CallerVerdict } from './check-caller.ts'

/** Finds the caller of a token; `audiences` are those of the address that the request is for. */
export type CheckToken = (
  text: string,
  audiences: readonly string[],
) => CallerVerdict | Promise<CallerVerdict>

export interface CallerTokensOptions {
  readonly platform?: Parameters<typeof believePlatform>[0]
  readonly now?: () => number
  /** Aborted when the gateway ends: keys are no longer read then. */
  readonly signal: AbortSignal
  readonly warn: (message: string) => void
}

/** The tokens of issuers as proofs of callers. There is no table of callers: what one may use follows from its claims. */
export async function createTokenCheck(
  issuers: readonly TokenIssuer[],
  { platform: given = {}, now = Date.now, signal, warn }: CallerTokensOptions,
): Promise<CheckToken> {
  const { platform } = await believePlatform(given)
  const folder = dirname(settingsFile(platform))
  const byName = new Map(issuers.map((each) => [each.issuer, each]))
  const judge = createTokenJudge(
    issuers.map(({ issuer, audience, jwks, algorithms, clients }) => ({
      issuer,
      audiences: typeof audience === 'string' ? [audience] : audience,
      algorithms,
      isClient: clients && ((id) => clients.some((pattern) => matchGlob(pattern, id))),
      loadKeys: () =>
        loadIssuerKeys(
          { issuer, jwks: jwks === undefined || /^https?:/i.test(jwks) ? jwks : resolve(folder, jwks) },
          { platform, signal },
        ),
    })),
    { now, warn: (message) => signal.aborted || warn(message) },
  )
  const toCaller = (verdict: TokenVerdict): CallerVerdict => {
    if (verdict.kind === 'refused') return { refused: verdict.reason, isBad: true }
    if (verdict.kind === 'unknown') return { refused: verdict.reason, isBad: false, status: 503 }
    const issuer = byName.get(verdict.issuer)
    const caller = issuer && callerOfClaims(issuer, verdict.claims)
    return caller
      ? { caller }
      : { refused: 'No rule of this gateway is for the claims of this token.', isBad: false, status: 403 }
  }
  return (text, audiences) => {
    const verdict = judge(text, audiences)
    return verdict instanceof Promise ? verdict.then(toCaller) : toCaller(verdict)
  }
}
