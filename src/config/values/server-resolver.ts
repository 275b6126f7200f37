import { HostError } from '../../model/error.ts'
import { nextCommand } from '../../model/next-command.ts'
import type { AnswerInput, Answers } from '../../model/answers.ts'
import { trustQuestionFor } from '../trust/trust-grants.ts'
import { refuseDamaged } from '../private-file-edit.ts'
import type { CommandCache, CommandLimits } from './command-values.ts'
import type { ResolveOptions } from './resolve-context.ts'
import { resolveTrusted } from './resolve-trusted.ts'
import type { ResolvedServer } from './resolve-trusted.ts'
import { needsTrust, readTrust, trustOf } from '../trust/trust-store.ts'
import type { Judgment } from '../trust/trust-store.ts'
import { createWorld } from '../world.ts'
import { valueSourceOf } from './value-source.ts'
import { platformOf } from '../discover-options.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import type { Redactor } from '../../model/secrets/redactor.ts'
import type { Server } from '../../model/server.ts'
import { serverInForce } from '../server-in-force.ts'
import type { Platform } from '../../platform/platform.ts'
import type { World } from '../../sources/source.ts'
import type { ValueRules } from '../../sources/entries/template.ts'

export interface ResolveServerOptions extends DiscoverOptions {
  /** Answers to `${input:id}` by id, or a function that asks a person when a value needs one. */
  readonly answers?: Answers | AnswerInput
  /** Remembers the output of `!command` values. By default nothing outlives the call. */
  readonly cache?: CommandCache
  /** Limits for `!command` values. */
  readonly limits?: Partial<CommandLimits>
  readonly signal?: AbortSignal
}

/**
 * Resolves the values of a server right before it is used: runs commands, reads files and builds the environment of the
 * child. Refuses a server that is not trusted.
 *
 * @param server Its name, or a server of a discovery.
 */
export async function resolveServer(
  server: string | Server,
  options: ResolveServerOptions = {},
): Promise<ResolvedServer> {
  const resolve = await createResolver(options)
  const found = await serverInForce(server, options)
  if (found.runner) throw boxedServer(found)
  return resolve(found, options)
}

/** The command of a server in a box is not given away: a caller would start it without the box. */
function boxedServer({ name, runner }: Server): HostError<'runner.unavailable'> {
  const used = runner?.kind === 'template' ? runner.name : (runner?.kind ?? '')
  const message = `"${name}" runs in a box (${used}), which only a host makes.`
  return new HostError('runner.unavailable', { server: name, runner: used }, message, {
    hint: 'Use it through a host, which starts the box.',
  })
}

/** Resolves one of many servers. The redactor receives every secret. */
export type ServerResolver = (
  server: Server,
  options: ResolveServerOptions & { readonly redactor?: Redactor },
) => Promise<ResolvedServer>

/**
 * Creates a resolver for many servers, which reads their common environment once. Trust is read from the store for every
 * server, so that it does not depend on the caller (T01).
 */
export async function createResolver(options: DiscoverOptions): Promise<ServerResolver> {
  const platform = await platformOf(options)
  const world = await createWorld(platform, options)
  return async (server, { answers, cache, limits, redactor, signal, trust }) => {
    const source = await valueSourceOf(server)
    const judgment = await checkTrust(server, source.valuesOf(server, world), { trust }, platform)
    const { state, granted, envFile } = judgment
    const runs = state === 'trusted' ? await checkRuns(server, judgment, { platform, world, options }) : {}
    const resolved = await resolveTrusted(server, {
      source,
      world,
      platform,
      trust: state,
      granted,
      envFile,
      ...(answers && { answers }),
      ...(cache && { cache }),
      ...(limits && { limits }),
      ...(redactor && { redactor }),
      ...(signal && { signal }),
    })
    return { ...resolved, ...runs }
  }
}

/** T03: refuses scripts that were pinned and have changed; tells a program that is another file than the trusted one. */
async function checkRuns(
  server: Server,
  trusted: Pick<Judgment, 'program' | 'scripts' | 'isResolved'>,
  context: { readonly platform: Platform; readonly world: World; readonly options: DiscoverOptions },
): Promise<Pick<ResolvedServer, 'moved' | 'uncovered'>> {
  if (trusted.program === undefined && !trusted.scripts) return {}
  const { changedScripts, movedProgram, pinsFiles, readRuns, uncoveredScripts } =
    await import('../trust/program-trust.ts')
  const now = await readRuns(server, context)
  const [changed] = changedScripts(trusted, now)
  const uncovered = uncoveredScripts(trusted, now)
  const moved = movedProgram(trusted, now)
  const isPinned =
    (changed !== undefined || uncovered.length > 0) && (await pinsFiles(context.platform, context.options))
  if (changed === undefined || !isPinned)
    return { ...(moved && { moved }), ...(isPinned && uncovered.length > 0 && { uncovered }) }
  const { name } = server
  throw new HostError(
    'trust.refused',
    { server: name },
    `${changed} has changed since "${name}" was trusted.`,
    {
      hint: `Look at it and decide: ${nextCommand('trust', name)}`,
    },
  )
}

/** The trust state and the granted variables. `trust: 'project'` grants what the entry asks for, for this call. */
async function checkTrust(
  server: Server,
  rules: ValueRules,
  { trust }: { readonly trust: DiscoverOptions['trust'] },
  platform: Platform,
): Promise<Omit<Judgment, 'envFile'> & Pick<ResolveOptions, 'envFile'>> {
  if (!needsTrust(server)) return { state: 'trusted' }
  if (trust === 'project') {
    const { variables } = await trustQuestionFor(server, rules, platform.files)
    return { state: 'trusted', granted: variables }
  }
  const store = await readTrust(platform)
  refuseDamaged(store.damage, store.file)
  const judgment = await trustOf(server, store, platform.files)
  return { ...judgment, envFile: judgment.envFile ?? 'unsealed' }
}

/** Wraps an answer function so that each input is asked once. An input without an answer, or with an error, is asked again. */
export function rememberAnswers(answers: Answers | AnswerInput): Answers | AnswerInput {
  if (typeof answers !== 'function' || answers.keepsAnswers) return answers
  const known = new Map<string, Promise<string | undefined>>()
  return (server, input) => {
    const key = JSON.stringify([server.id, input.id])
    const before = known.get(key)
    if (before) return before
    const answer = answers(server, input)
    known.set(key, answer)
    answer.then(
      (text) => text === undefined && known.delete(key),
      () => known.delete(key),
    )
    return answer
  }
}
