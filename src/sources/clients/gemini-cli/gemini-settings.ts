import { isStringArray } from '../../../model/json.ts'
import type { Auth, Authority } from '../../../model/server.ts'
import type { Draft } from '../../entries/server-draft.ts'
import type { Entry } from '../../entries/raw-entry.ts'
import { checkClientSecret, readOAuth, sameNames, writeOAuth } from '../oauth-fields.ts'
import type { EntryRules } from '../../entries/entry-rules.ts'
import type { OpenFile, Report, World } from '../../source.ts'
import { valueIn } from '../../entries/server-tables.ts'
import type { ValueRules } from '../../entries/template.ts'
import type { LostField, WriteRules } from '../../entries/write-rules.ts'

/** Rules that Gemini CLI shares with its fork Qwen Code. */
export const geminiEntry = {
  both: 'url',
  keys: { url: ['httpUrl', 'url'] },
  meaningOfUrlKey: { httpUrl: 'http' },
  allowKey: 'includeTools',
  denyKey: 'excludeTools',
  filterConflict: true,
  descriptionKey: 'description',
  checkPins: true,
  auth: readAuth,
} as const satisfies Partial<EntryRules>

export function geminiValues(world: World): ValueRules {
  const percent = world.os === 'win32' ? (['percent'] as const) : []
  return { syntaxes: ['braces', 'bare', ...percent], unset: 'keep' }
}

/** Reads the login: OAuth unless another provider is named, with the provider's settings. */
function readAuth(entry: Entry): Auth | undefined {
  const client = readOAuth(entry, 'oauth')
  checkClientSecret(entry, 'oauth')
  const provider = entry.string('authProviderType')
  const targets = ['targetAudience', 'targetServiceAccount'].flatMap((key) => {
    const target = entry.string(key)
    return target === undefined ? [] : [[key, target] as const]
  })
  if (!client && provider === undefined && targets.length === 0) return undefined
  const type = provider === undefined || provider === 'dynamic_discovery' ? 'oauth' : provider
  if (type === 'service_account_impersonation' && targets.length < 2) {
    entry.refuse('missing-key', `"${type}" needs "targetAudience" and "targetServiceAccount".`)
  }
  return { ...client, ...Object.fromEntries(targets), type }
}

const clientFields = [
  'enabled',
  'clientId',
  'clientSecret',
  'authorizationUrl',
  'tokenUrl',
  'scopes',
  'redirectUri',
  'tokenParamName',
  'audiences',
]
const writeClient = writeOAuth('oauth', { fields: sameNames(...clientFields) })
const otherProviders = ['google_credentials', 'service_account_impersonation']

export const geminiWrites: WriteRules = {
  auth: writeAuth,
  boundKeys: ['oauth', 'authProviderType', 'targetAudience', 'targetServiceAccount'],
}

function writeAuth({ targetAudience, targetServiceAccount, ...auth }: Auth, lost: LostField[]) {
  const isOther = otherProviders.includes(auth.type)
  const client = writeClient(isOther ? { ...auth, type: 'oauth' } : auth, lost)
  return (
    client && {
      ...client,
      ...(isOther && { authProviderType: auth.type }),
      ...(targetAudience !== undefined && { targetAudience }),
      ...(targetServiceAccount !== undefined && { targetServiceAccount }),
    }
  )
}

export function checkTrust(entry: Entry): void {
  if (entry.boolean('trust') === true) {
    entry.warn('trust', 'trust: true skips the confirmation of every tool call.', { key: 'trust' })
  }
}

/** Both programs declare `tcp` in their types, but never read it. */
export function checkTcp(entry: Entry): void {
  if (entry.has('tcp')) {
    entry.warn('unsupported-in-client', '"tcp" is declared but never used by the client.', { key: 'tcp' })
  }
}

/** A list of server names in a settings file, with its place. */
export interface NameList {
  readonly names: readonly string[]
  readonly place: string
  readonly authority: Authority
}

/** `mcp.allowed` or `mcp.excluded` of every settings file that has one, highest first. */
export function nameLists(
  files: readonly OpenFile[],
  key: 'allowed' | 'excluded',
  report: Report,
): readonly NameList[] {
  const pointer = `/mcp/${key}`
  return files.flatMap((file) => {
    const value = file.role === 'servers' ? valueIn(file, ['mcp', key]) : undefined
    if (value === undefined || value === null) return []
    if (isStringArray(value)) {
      return [{ names: value, place: `${file.path}#${pointer}`, authority: file.authority }]
    }
    report.add('wrong-type', 'warn', `mcp.${key} must be a list of names. It is ignored.`, { file, pointer })
    return []
  })
}

export function switchOff(draft: Draft, place: string): void {
  draft.enabled = false
  draft.disabledBy = place
}
