import { canonicalize, hashOf, shortHash } from '../../model/canonical.ts'
import type { Server, Transport } from '../../model/server.ts'
import type { Draft } from './server-draft.ts'
import type { Report } from '../source.ts'

/** Converts a complete draft to a server; an incomplete one is reported. */
export function toServer(draft: Draft, report: Report): Server | undefined {
  const transport = toTransport(draft)
  if (!transport) {
    report.add('missing-endpoint', 'error', 'The entry is incomplete: neither command nor url.', {
      file: draft.file,
      pointer: draft.origin.pointer,
      server: draft.name,
      hint: 'Add a "command" to run or a "url" to connect to.',
    })
    return undefined
  }
  const entries = draft.declared.map(({ entry }) => entry)
  const declared = entries.length === 1 ? entries[0] : entries
  const { disabledBy, forceEnabledBy, lifecycle, restart, title, description, inputs, sandbox, watch } = draft
  const { approval, agent, mergedFrom, autoApprove, folder, runner, stateful } = draft
  // Computed on first access and cached: hashing is slow, and a host reads both several times.
  let id: string | undefined
  let entryHash: string | undefined
  return {
    get id() {
      return (id ??= `${draft.name}-${shortHash(`${canonicalize(declared)}\0${draft.origin.file}`)}`)
    },
    name: draft.name,
    get entryHash() {
      return (entryHash ??= hashOf(declared))
    },
    transport,
    protocol: draft.protocol ?? 'auto',
    origin: draft.origin,
    enabled: draft.enabled ?? true,
    timeouts: draft.timeouts,
    tools: { allow: draft.allow ?? null, deny: draft.deny ?? [], ...(autoApprove && { autoApprove }) },
    ...defined({
      folder,
      disabledBy,
      forceEnabledBy,
      lifecycle,
      restart,
      stateful: stateful === true ? true : undefined,
      title,
      description,
      inputs,
      sandbox,
      runner,
      watch,
      approval,
      agent,
      mergedFrom,
    }),
    declared: draft.declared,
    extra: draft.extra,
  }
}

function toTransport(draft: Draft): Transport | undefined {
  const {
    kind,
    auth,
    fallback,
    socketPath,
    headersCommand,
    tls,
    passEnv,
    secretEnv,
    unsetEnv,
    envFile,
    cwd,
  } = draft
  if (kind === 'stdio' && draft.command !== undefined) {
    return {
      kind,
      command: draft.command,
      args: draft.args ?? [],
      env: draft.env ?? {},
      framing: draft.framing ?? 'auto',
      inheritEnv: draft.inheritEnv ?? false,
      ...defined({ passEnv, secretEnv, unsetEnv, envFile, cwd, auth }),
    }
  }
  if ((kind === 'http' || kind === 'sse') && draft.url !== undefined) {
    const launch =
      draft.command === undefined ? undefined : { command: draft.command, args: draft.args ?? [] }
    return {
      kind,
      url: draft.url,
      headers: draft.headers ?? {},
      ...defined({ socketPath, headersCommand, fallback, tls, auth, env: draft.env, secretEnv, launch }),
    }
  }
  return undefined
}

/** Omits undefined properties. */
function defined<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const present: Partial<T> = {}
  for (const key in values) if (values[key] !== undefined) present[key] = values[key]
  return present as { [K in keyof T]: Exclude<T[K], undefined> } // only defined properties were copied
}
