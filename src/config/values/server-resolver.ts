import type { AnswerInput, Answers } from '../../model/answers.ts'
import { trustQuestionFor } from '../trust/trust-grants.ts'
import { refuseDamaged } from '../private-file-edit.ts'
import type { ResolveOptions } from './resolve-context.ts'
import { resolveTrusted } from './resolve-trusted.ts'
import type { ResolvedServer } from './resolve-trusted.ts'
import { needsTrust, readTrust, trustOf } from '../trust/trust-store.ts'
import type { Judgment } from '../trust/trust-store.ts'
import { createWorld } from '../world.ts'
import { platformOf } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import type { Server } from '../../model/server.ts'
import type { Platform } from '../../platform/platform.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import type { SourceId } from '../../sources/places.ts'
import type { Source } from '../../sources/source.ts'
import type { ValueRules } from '../../sources/entries/template.ts'

export type ResolveServerOptions = DiscoverOptions &
  Pick<ResolveOptions, 'answers' | 'cache' | 'limits' | 'redactor' | 'signal'>

/** The values of a server, right before it is used. */
export async function resolveServer(
  server: Server,
  options: ResolveServerOptions = {},
): Promise<ResolvedServer> {
  const resolve = await createResolver(options)
  return resolve(server, options)
}

export type Resolve = (server: Server, options: ResolveServerOptions) => Promise<ResolvedServer>

/**
 * The same for many servers: what they have in common is looked at once. Whether a server may have its values is read
 * from the trust store each time, so that it does not rest on the caller (T01).
 */
export async function createResolver(options: DiscoverOptions): Promise<Resolve> {
  const platform = platformOf(options)
  const world = await createWorld(platform, options)
  return async (server, { answers, cache, limits, redactor, signal, trust }) => {
    const source = await sourceOf(server, options)
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

async function sourceOf({ origin }: Server, { sources = [] }: DiscoverOptions): Promise<Source> {
  const given = sources.find((source) => typeof source !== 'string' && source.id === origin.source)
  if (given !== undefined && typeof given !== 'string') return given
  return loadSource(origin.source as SourceId) // a server's origin names the source that read it
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
