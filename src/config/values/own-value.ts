import { HostError } from '../../model/error.ts'
import { reveal } from '../../model/resolved.ts'
import type { Redactor } from '../../model/secrets/redactor.ts'
import type { Server } from '../../model/server.ts'
import type { Platform } from '../../platform/platform.ts'
import { loadSource } from '../../sources/clients/load-source.ts'
import { redactWords } from '../redact-text.ts'
import { settingsFile } from '../settings.ts'
import { createWorld } from '../world.ts'
import { createResolveContext } from './resolve-context.ts'
import { nameOf, resolveValues } from './resolve-values.ts'
import { createLookup } from './value-lookup.ts'
import type { Failures } from './value-lookup.ts'
import { mayHoldPlaceholder } from './value-sites.ts'

interface OwnValueOptions {
  /** The key in the person's settings, for messages: `store.url`. */
  readonly key: string
  readonly platform: Platform
  /** Receives what was looked up, so that it is masked in all output. */
  readonly redactor?: Redactor
}

/**
 * The text of a value in the person's own settings. `${env:X}`, `!command` and `${keychain:service/account}` mean the same as
 * in a server of their own file, with the same limits.
 */
export async function resolveOwnValue(
  text: string,
  { key, platform, redactor }: OwnValueOptions,
): Promise<string> {
  if (!mayHoldPlaceholder(text)) return text
  const server = asServer(text, key, settingsFile(platform))
  const source = await loadSource('plugboard')
  const world = await createWorld(platform)
  const rules = source.valuesOf(server, world)
  const context = createResolveContext(server, {
    source,
    world,
    platform,
    trust: 'trusted',
    ...(redactor && { redactor }),
  })
  const failures: Failures = new Map()
  const { values, missing } = await resolveValues(
    server,
    rules,
    createLookup(server, rules, context, failures),
  )
  if (missing.length === 0) return reveal(values.headers?.[key] ?? text)
  const names = [...new Set(missing.map(({ part }) => nameOf(part)))].map((name) => {
    const why = failures.get(name)
    const shown = context.redactor.redact(redactWords(name))
    return why === undefined ? shown : `${shown} (${why})`
  })
  const { file } = server.origin
  throw new HostError('config.invalid', { file, key }, `"${key}" needs ${names.join(' and ')}.`, {
    hint: `Set it, or change "${key}" in ${file}.`,
  })
}

/** The value as a header of a server in the person's own file: the rules for values are those of servers. */
export function asServer(text: string, key: string, file: string): Server {
  const pointer = `/${key.replaceAll('.', '/')}`
  return {
    id: key,
    name: key,
    entryHash: '',
    transport: { kind: 'http', url: '', headers: { [key]: text } },
    protocol: 'auto',
    origin: { source: 'plugboard', scope: 'user', authority: 'user', file, pointer, line: 1, column: 1 },
    enabled: true,
    timeouts: {},
    tools: { allow: null, deny: [] },
    declared: [],
    extra: {},
  }
}
