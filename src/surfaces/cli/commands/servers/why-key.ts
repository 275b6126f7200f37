import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { JsonObject } from '../../../../index.ts'
import {
  believePlatform,
  callerOfClaims,
  isObject,
  nameOfClaims,
  readSettings,
} from '../../../../internal.ts'
import { openOwnKeys } from '../../../../store.ts'
import type { CommandWorld } from '../../command-context.ts'
import { usage } from '../../errors.ts'
import { find } from '../keys.ts'
import type { CallerViews, ClaimsReport, KeyReport } from './key-report.ts'

/** Explains a tool for the caller with a key. */
export async function explainForKey(
  views: CallerViews,
  ref: string,
  { key: keyName, world }: { readonly key: string; readonly world: CommandWorld },
): Promise<KeyReport> {
  const keys = await openOwnKeys(world)
  const key = await find(keys, keyName).finally(() => void keys.close())
  const expired = key.expiresAt !== undefined && Date.parse(key.expiresAt) <= Date.now()
  return { name: key.name, expired, addresses: await views.explain(ref, key) }
}

/** The same for the caller of a token with the claims of a file. */
export async function explainForClaims(
  views: CallerViews,
  ref: string,
  { claims: file, world }: { readonly claims: string; readonly world: CommandWorld },
): Promise<ClaimsReport> {
  const { cwd } = world
  const claims = readClaims(resolve(cwd, file))
  const { platform } = await believePlatform({ ...world.platform, cwd })
  const { gateway = {} } = (await readSettings(platform)).settings
  const { issuers = [] } = gateway
  const { iss } = claims
  const issuer =
    iss === undefined && issuers.length === 1 ? issuers[0] : issuers.find((each) => each.issuer === iss)
  if (!issuer)
    throw usage(
      iss === undefined
        ? 'The claims have no "iss", and your settings do not name exactly one issuer.'
        : `Your settings name no issuer ${JSON.stringify(iss)}.`,
      'Issuers are in your settings, under "gateway.issuers".',
    )
  const caller = callerOfClaims(issuer, claims)
  const name = nameOfClaims(issuer.name, claims)
  const about = { issuer: issuer.issuer, name, expired: (caller?.until ?? Infinity) <= Date.now() }
  const addresses = await views.explain(ref, caller ?? { views: [] })
  if (caller) return { ...about, addresses }
  const reason = 'No rule of this gateway is for these claims.'
  return { ...about, addresses: addresses.map(({ address }) => ({ address, offered: false, reason })) }
}

function readClaims(file: string): JsonObject {
  const hint = 'Give a file with the claims of a token as JSON: { "iss": "…", "sub": "…", "groups": ["…"] }'
  try {
    const claims: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (isObject(claims)) return claims
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException // of the file system, or of the parser
    if (code !== undefined) throw usage(`${file} cannot be read (${code}).`, hint)
  }
  throw usage(`${file} holds no claims.`, hint)
}
