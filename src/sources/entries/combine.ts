import { toPointer } from '../../model/json.ts'
import type { Severity } from '../../model/diagnostic.ts'
import type { Origin } from '../../model/server.ts'
import type { Draft } from './server-draft.ts'
import type { Report } from '../source.ts'

/**
 * What happens to one name in several layers:
 * `per-name` the highest whole entry counts · `deep` keys are joined · `override` an entry without an endpoint
 * changes the one below it, a whole one hides it · `whole-file` one file hides all others · `keep-all` names may repeat.
 */
export type MergeMode = 'per-name' | 'deep' | 'override' | 'whole-file' | 'keep-all'

export interface Combined {
  readonly winners: readonly Draft[]
  readonly hidden: readonly Hidden[]
}

interface Hidden {
  readonly draft: Draft
  readonly by: Origin
  /** What is remarkable about the entry that hides it. */
  readonly remark?: string
}

/** `drafts` come highest in rank first. A refused entry claims its name only where the owner dedupes before it validates. */
export function combine(
  drafts: readonly Draft[],
  options: {
    readonly mode: MergeMode
    readonly refusedClaims?: boolean
    readonly first?: Origin | undefined
  },
  report: Report,
): Combined {
  if (options.mode === 'whole-file') return oneFile(drafts, options.first)
  if (options.mode === 'keep-all') return { winners: drafts.filter(({ refused }) => !refused), hidden: [] }
  const claims = new Map<string, Draft[]>()
  const below: { readonly draft: Draft; readonly key: string }[] = []
  for (const draft of drafts) {
    if (draft.refused && !options.refusedClaims) continue
    const key = `${draft.agent ?? ''}/${draft.name}`
    const layers = claims.get(key)
    if (!layers) claims.set(key, [draft])
    else if (joins(layers, options.mode)) layers.push(draft)
    else below.push({ draft, key })
  }
  const joined = new Map([...claims].map(([key, layers]) => [key, joinAll(layers, options.mode, report)]))
  const hidden = below.flatMap(({ draft, key }) => {
    const holder = joined.get(key)
    return holder ? [{ draft, by: holder.origin, ...remarkOn(holder) }] : []
  })
  return { winners: [...joined.values()].filter(({ refused }) => !refused), hidden }
}

/** The highest file that exists counts alone, even if nothing in it can be used. */
function oneFile(drafts: readonly Draft[], first: Origin | undefined): Combined {
  const inFirst = ({ origin }: Draft) =>
    origin.file === first?.file || (first?.authority === 'managed' && origin.authority === 'managed')
  return {
    winners: drafts.filter((draft) => inFirst(draft) && !draft.refused),
    hidden: first ? drafts.filter((draft) => !inFirst(draft)).map((draft) => ({ draft, by: first })) : [],
  }
}

function remarkOn({ enabled, refused }: Draft): { remark?: string } {
  if (refused) return { remark: ', where it cannot be used' }
  return enabled === false ? { remark: ', where it is off' } : {}
}

function joins(layers: readonly Draft[], mode: MergeMode): boolean {
  return mode === 'deep' || (mode === 'override' && !layers.some(hasEndpoint))
}

export function hasEndpoint(draft: Draft): boolean {
  return draft.command !== undefined || draft.url !== undefined
}

/** From the bottom up, so that a layer which changes the address sees all the credentials below it. */
function joinAll(layers: readonly Draft[], mode: MergeMode, report: Report): Draft {
  return layers.reduceRight((low, high) => join(high, low, mode, report))
}

/** The higher draft's keys win; where it changes the address, the lower one's credentials stay behind. */
function join(high: Draft, low: Draft, mode: MergeMode, report: Report): Draft {
  if (mode === 'deep') {
    report.add(
      'merged-across-layers',
      'info',
      `"${high.name}" joins this entry with the one in ${low.file.path}.`,
      {
        file: high.file,
        pointer: high.origin.pointer,
        server: high.name,
      },
    )
  }
  const base = hasEndpoint(high) ? inherit(high, low, report) : low
  const { origin, file, declared, timeouts, extra, env, headers, auth, ...rest } = high
  const set = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const owner = hasEndpoint(high) ? { origin, file } : { origin: low.origin, file: low.file }
  return {
    ...base,
    ...set,
    ...owner,
    name: high.name,
    declared: [...declared, ...low.declared],
    refused: high.refused || low.refused,
    timeouts: { ...base.timeouts, ...timeouts },
    extra: { ...base.extra, ...extra },
    ...((base.env ?? env) && { env: { ...base.env, ...env } }),
    ...((base.headers ?? headers) && { headers: { ...base.headers, ...headers } }),
    ...(auth && { auth: auth.type === base.auth?.type ? { ...base.auth, ...auth } : auth }),
    ...(hasEndpoint(high) && { mergedFrom: [low.origin, ...(low.mergedFrom ?? [])] }),
    ...(high.enabled !== undefined && {
      disabledBy: high.enabled || hasEndpoint(high) ? undefined : flagOf(high),
    }),
  }
}

/** T06: a layer that changes only where a request goes must not carry another layer's secrets there. */
function inherit(high: Draft, low: Draft, report: Report): Draft {
  const otherKind = hasEndpoint(low) && (high.command !== undefined) !== (low.command !== undefined)
  const otherAddress = high.url !== undefined && high.url !== low.url
  if (!otherKind && !otherAddress) return low
  const { headers, auth, headersCommand, env, passEnv, secretEnv } = low
  if (headers ?? auth ?? headersCommand ?? (otherKind ? (env ?? passEnv ?? secretEnv) : undefined)) {
    report.add(
      'credentials-dropped',
      'warn',
      `"${high.name}" has another address than in ${low.file.path}; the credentials declared there are not used.`,
      { file: high.file, pointer: high.origin.pointer, server: high.name },
    )
  }
  return { ...low, ...noCredentials, ...(otherKind && noAddress) }
}

const noCredentials = { headers: undefined, auth: undefined, headersCommand: undefined } as const

const noAddress = {
  kind: undefined,
  command: undefined,
  args: undefined,
  cwd: undefined,
  env: undefined,
  envFile: undefined,
  passEnv: undefined,
  secretEnv: undefined,
  unsetEnv: undefined,
  url: undefined,
  socketPath: undefined,
  fallback: undefined,
  tls: undefined,
} as const

function flagOf(draft: Draft): string {
  const entry = draft.declared[0]?.entry ?? {}
  const key = Object.hasOwn(entry, 'disabled') ? 'disabled' : 'enabled'
  return `${draft.origin.file}#${draft.origin.pointer}${toPointer([key])}`
}

export function reportShadowed({ draft, by, remark }: Hidden, severity: Severity, report: Report): void {
  report.add(
    'shadowed',
    severity,
    `"${draft.name}" is hidden by the ${by.scope} entry in ${by.file}${remark ?? ''}.`,
    {
      file: draft.file,
      pointer: draft.origin.pointer,
      server: draft.name,
    },
  )
}

/** A switch for a server that no layer declares: legal, and nothing to start. */
export function dropIdleSwitches(drafts: readonly Draft[]): void {
  for (const draft of drafts) {
    const keys = draft.declared.flatMap(({ entry }) => Object.keys(entry))
    const isSwitch = keys.length > 0 && keys.every((key) => key === 'enabled' || key === 'disabled')
    if (isSwitch && !hasEndpoint(draft)) draft.refused = true
  }
}
