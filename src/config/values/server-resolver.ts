import type { AnswerInput, Answers } from '../../model/answers.ts'
import { trustQuestionFor } from '../trust/trust-grants.ts'
import { refuseDamaged } from '../private-file-edit.ts'
import type { CommandCache, CommandLimits } from './command-values.ts'
import { resolveTrusted } from './resolve-trusted.ts'
import type { ResolvedServer } from './resolve-trusted.ts'
import { needsTrust, readTrust, trustOf } from '../trust/trust-store.ts'
import type { Judgment } from '../trust/trust-store.ts'
import { createWorld } from '../world.ts'
import { platformOf } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import type { Redactor } from '../../model/secret.ts'
import type { Server } from '../../model/server.ts'
import { serverInForce } from '../server-in-force.ts'
import type { Platform } from '../../platform/platform.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import type { SourceId } from '../../sources/places.ts'
import type { ValueRules } from '../../sources/entries/template.ts'

export interface ResolveServerOptions extends DiscoverOptions {
  /** Values for `${input:id}` by their ids, or a function that asks a person when a value is needed. */
  readonly answers?: Answers | AnswerInput
  /** Remembers what `!command` values returned; by default nothing outlives the call. */
  readonly cache?: CommandCache
  /** Limits for `!command` values. */
  readonly limits?: Partial<CommandLimits>
  readonly signal?: AbortSignal
}

/**
 * Looks up the values of a server, right before it is used: runs commands, reads files and builds the environment of
 * the child. Refuses a server that the trust store does not trust.
 *
 * @param server Its name, or a server of a discovery.
 */
export async function resolveServer(
  server: string | Server,
  options: ResolveServerOptions = {},
): Promise<ResolvedServer> {
  const resolve = await createResolver(options)
  return resolve(await serverInForce(server, options), options)
}

/** How one server of many is resolved; the redactor learns every secret. */
export type Resolve = (
  server: Server,
  options: ResolveServerOptions & { readonly redactor?: Redactor },
) => Promise<ResolvedServer>

/**
 * The same for many servers: what they have in common is looked at once. Whether a server may have its values is read
 * from the trust store each time, so that it does not rest on the caller (T01).
 */
export async function createResolver(options: DiscoverOptions): Promise<Resolve> {
  const platform = platformOf(options)
  const world = await createWorld(platform, options)
  return async (server, { answers, cache, limits, redactor, signal, trust }) => {
    const source = await loadSource(server.origin.source as SourceId) // a server's origin names the source that read it
    const { state, granted } = await judge(server, source.valuesOf(server, world), { trust }, platform)
    return resolveTrusted(server, {
      source,
      world,
      platform,
      trust: state,
      granted,
      ...(answers && { answers }),
      ...(cache && { cache }),
      ...(limits && { limits }),
      ...(redactor && { redactor }),
      ...(signal && { signal }),
    })
  }
}

/** `trust: 'project'` is a yes to what the entry asks for, for this call. */
async function judge(
  server: Server,
  rules: ValueRules,
  { trust }: { readonly trust: DiscoverOptions['trust'] },
  platform: Platform,
): Promise<Judgment> {
  if (!needsTrust(server)) return { state: 'trusted' }
  if (trust === 'project') {
    const { variables } = await trustQuestionFor(server, rules, platform.files)
    return { state: 'trusted', granted: variables }
  }
  const store = await readTrust(platform)
  refuseDamaged(store.damage, store.file)
  return trustOf(server, store, platform.files)
}

/** What a person answered counts for as long as somebody holds this; what they did not say they are asked again. */
export function answerOnce(answers: Answers | AnswerInput): Answers | AnswerInput {
  if (typeof answers !== 'function') return answers
  const known = new Map<string, Promise<string | undefined>>()
  return (server, input) => {
    const key = JSON.stringify([server.id, input.id])
    const before = known.get(key)
    if (before) return before
    const answer = answers(server, input)
    known.set(key, answer)
    answer.then(
      (said) => said === undefined && known.delete(key),
      () => known.delete(key),
    )
    return answer
  }
}
