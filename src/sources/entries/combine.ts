import { toPointer } from '../../model/json.ts'
import type { Severity } from '../../model/diagnostic.ts'
import type { Origin } from '../../model/server.ts'
import type { Draft } from './server-draft.ts'
import type { Report } from '../source.ts'

/**
 * How entries of one name in several layers are combined:
 * `per-name` the highest entry is used · `deep` keys are merged · `override` an entry without an endpoint changes the one
 * below it, a complete one hides it · `whole-file` one file hides all others · `keep-all` names may repeat.
 */
export type MergeMode = 'per-name' | 'deep' | 'override' | 'whole-file' | 'keep-all'

export interface CombinedDrafts {
  readonly winners: readonly Draft[]
  readonly hidden: readonly HiddenDraft[]
}

interface HiddenDraft {
  readonly draft: Draft
  readonly by: Origin
  /** An addition to the message, if the hiding entry is off or cannot be used. */
  readonly remark?: string
}

/** Takes `drafts` highest rank first. A refused entry claims its name only if the client resolves names before validating. */
export function combine(
  drafts: readonly Draft[],
  options: {
    readonly mode: MergeMode
    readonly refusedClaims?: boolean
    readonly first?: Origin | undefined
  },
  report: Report,
): CombinedDrafts {
  if (options.mode === 'whole-file') return keepFirstFile(drafts, options.first)
  if (options.mode === 'keep-all') return { winners: drafts.filter(({ refused }) => !refused), hidden: [] }
  const claims = new Map<string, Draft[]>()
  const below: { readonly draft: Draft; readonly key: string }[] = []
  for (const draft of drafts) {
    if (draft.refused && !options.refusedClaims) continue
    const key = `${draft.agent ?? ''}/${draft.name}`
    const layers = claims.get(key)
    if (!layers) claims.set(key, [draft])
    else if (canJoin(layers, options.mode)) layers.push(draft)
    else below.push({ draft, key })
  }
  const joined = new Map([...claims].map(([key, layers]) => [key, joinAll(layers, options.mode, report)]))
  const hidden = below.flatMap(({ draft, key }) => {
    const holder = joined.get(key)
    return holder ? [{ draft, by: holder.origin, ...remarkOn(holder) }] : []
  })
  return { winners: [...joined.values()].filter(({ refused }) => !refused), hidden }
}

/** Uses only the highest file that exists, even if no entry in it can be used. */
function keepFirstFile(drafts: readonly Draft[], first: Origin | undefined): CombinedDrafts {
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

function canJoin(layers: readonly Draft[], mode: MergeMode): boolean {
  return mode === 'deep' || (mode === 'override' && !layers.some(hasEndpoint))
}

export function hasEndpoint(draft: Draft): boolean {
  return draft.command !== undefined || draft.url !== undefined
}

/** Joins from the bottom up, so that a layer that changes the address drops all credentials below it. */
function joinAll(layers: readonly Draft[], mode: MergeMode, report: Report): Draft {
  return layers.reduceRight((low, high) => joinDrafts(high, low, mode, report))
}

/** The higher draft's keys win. If it changes the address, the lower draft's credentials are dropped. */
function joinDrafts(high: Draft, low: Draft, mode: MergeMode, report: Report): Draft {
  if (mode === 'deep') {
    report.add(
      'merged-across-layers',
      'info',
      `"${high.name}" merges this entry with the one in ${low.file.path}.`,
      {
        file: high.file,
        pointer: high.origin.pointer,
        server: high.name,
      },
    )
  }
  const base = hasEndpoint(high) ? withoutForeignCredentials(high, low, report) : low
  const { origin, file, declared, timeouts, extra, env, headers, auth, ...rest } = high
  const set = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
  const owner = hasEndpoint(high) ? { origin, file } : { origin: low.origin, file: low.file }
  return {
    ...base,
    ...set,
    ...owner,
    folder: folderOf(high, low),
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

/** T52: the folder of the layer that has the endpoint, else of a project's layer that adds to it. */
function folderOf(high: Draft, low: Draft): string | undefined {
  return hasEndpoint(high) ? (high.folder ?? low.folder) : (low.folder ?? high.folder)
}

/** T06: a layer that changes only the address must not send another layer's credentials there. */
function withoutForeignCredentials(high: Draft, low: Draft, report: Report): Draft {
  const otherKind = hasEndpoint(low) && (high.command !== undefined) !== (low.command !== undefined)
  const otherAddress = high.url !== undefined && high.url !== low.url
  if (!otherKind && !otherAddress) return low
  const { headers, auth, headersCommand, env, passEnv, secretEnv } = low
  if (headers ?? auth ?? headersCommand ?? (otherKind ? (env ?? passEnv ?? secretEnv) : undefined)) {
    report.add(
      'credentials-dropped',
      'warn',
      `"${high.name}" has a different address here than in ${low.file.path}; the credentials from there are not used.`,
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

export function reportShadowed({ draft, by, remark }: HiddenDraft, severity: Severity, report: Report): void {
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

/** Refuses entries that only switch a server that no layer declares: they are legal, but there is nothing to start. */
export function dropIdleSwitches(drafts: readonly Draft[]): void {
  for (const draft of drafts) {
    const keys = draft.declared.flatMap(({ entry }) => Object.keys(entry))
    const isSwitch = keys.length > 0 && keys.every((key) => key === 'enabled' || key === 'disabled')
    if (isSwitch && !hasEndpoint(draft)) draft.refused = true
  }
}
