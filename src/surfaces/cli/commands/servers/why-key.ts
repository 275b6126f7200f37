import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Host, JsonObject } from '../../../../index.ts'
import { accessOf, believePlatform, callerOfClaims, isObject, readSettings } from '../../../../internal.ts'
import type { Caller, GatewayViewSettings } from '../../../../internal.ts'
import { openOwnKeys } from '../../../../store.ts'
import { usage } from '../../errors.ts'
import { find } from '../keys.ts'
import type { ClaimsReport, KeyAddress, KeyReport } from './key-report.ts'

/** The ref of the tool that callers of a view see with this name. */
export async function refOfShown(host: Host, name: string, cwd = '.'): Promise<string | undefined> {
  const { views: settings = {} } = await ownSettings(cwd)
  const views = await openViews(host, settings)
  for (const view of Object.keys(settings)) {
    const found = (await views.of({ mode: 'all', view })).findNamed(name)
    if (found) return found.ref
  }
  return undefined
}

/** Explains a tool for a key by the same functions that answer the requests of its caller. */
export async function explainForKey(
  host: Host,
  ref: string,
  { key: keyName, cwd = '.' }: { readonly key: string; readonly cwd?: string | undefined },
): Promise<KeyReport> {
  const keys = await openOwnKeys({ cwd: resolve(cwd) })
  const key = await find(keys, keyName).finally(() => void keys.close())
  const expired = key.expiresAt !== undefined && Date.parse(key.expiresAt) <= Date.now()
  return { name: key.name, expired, addresses: await explainAddresses(host, ref, key, cwd) }
}

/** The same for the caller of a token with the claims of a file. */
export async function explainForClaims(
  host: Host,
  ref: string,
  { claims: file, cwd = '.' }: { readonly claims: string; readonly cwd?: string | undefined },
): Promise<ClaimsReport> {
  const claims = readClaims(resolve(cwd, file))
  const { gateway = {} } = await ownSettings(cwd)
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
  const { sub } = claims
  const name = caller?.name ?? (typeof sub === 'string' ? sub : '')
  const about = { issuer: issuer.issuer, name, expired: (caller?.until ?? Infinity) <= Date.now() }
  const addresses = await explainAddresses(host, ref, caller ?? { views: [] }, cwd)
  if (caller) return { ...about, addresses }
  const reason = 'No rule of this gateway is for these claims.'
  return { ...about, addresses: addresses.map(({ address }) => ({ address, offered: false, reason })) }
}

async function explainAddresses(
  host: Host,
  ref: string,
  caller: Pick<Caller, 'views'>,
  cwd: string,
): Promise<readonly KeyAddress[]> {
  const { views: settings = {} } = await ownSettings(cwd)
  const isView = (name: string) => Object.hasOwn(settings, name)
  const views = await openViews(host, settings)
  const explain = async (view: string | undefined): Promise<KeyAddress> => {
    const address = view === undefined ? '/mcp' : `/mcp/${view}`
    const access = accessOf(caller, view, isView)
    if (access.kind !== 'open') return { address, offered: false, reason: access.reason }
    const found = await views.of({ mode: 'all', ...(access.view !== undefined && { view: access.view }) })
    const { visible, reason } = found.view.why(ref).visibility
    const name = visible ? found.nameOf(ref) : undefined
    return { address, offered: visible, ...(name !== undefined && { name }), reason }
  }
  const named = [...new Set([...Object.keys(settings), ...(caller.views ?? [])])].sort()
  return Promise.all([undefined, ...named].map(explain))
}

async function openViews(host: Host, settings: Readonly<Record<string, GatewayViewSettings>>) {
  const { GatewayViews } = await import('../../../gateway/gateway-view.ts')
  return new GatewayViews({
    host,
    settingsOf: (name) => (Object.hasOwn(settings, name) ? settings[name] : undefined),
    versionOf: () => 0,
  })
}

async function ownSettings(cwd: string) {
  const { platform } = await believePlatform({ cwd: resolve(cwd) })
  return (await readSettings(platform)).settings
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
