import type { Redactor } from '../../model/secrets/redactor.ts'
import type { Server } from '../../model/server.ts'
import type { Platform } from '../../platform/platform.ts'
import { looksSecret } from '../../sources/entries/literal-secrets.ts'
import { shouldHideVariable } from '../../sources/entries/secret-names.ts'
import type { Part } from '../../sources/entries/template.ts'
import type { World } from '../../sources/source.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { createWorld } from '../world.ts'
import { allSites, partsOf, valueSites, variableIn } from './value-sites.ts'
import { valueSourceOf } from './value-source.ts'

interface AtHandOptions {
  readonly platform: Platform
  readonly options: Pick<DiscoverOptions, 'config' | 'strictType'>
  readonly redactor: Redactor
}

/**
 * Registers the secrets of servers that may not have been started yet: values of the environment that their entries name, and
 * secrets written in the entries. Runs no command, reads no file and opens no keychain (T35).
 */
export async function registerSecretsAtHand(
  servers: readonly Server[],
  { platform, options, redactor }: AtHandOptions,
): Promise<void> {
  const world = await createWorld(platform, options)
  for (const server of servers)
    for (const secret of await secretsAtHand(server, world)) redactor.register(secret)
}

async function secretsAtHand(server: Server, world: World): Promise<readonly string[]> {
  const { transport } = server
  const rules = (await valueSourceOf(server)).valuesOf(server, world)
  const expanded = valueSites(server, rules).flatMap((site) =>
    secretsIn(partsOf(site, rules), String(site.key), world),
  )
  const literal = allSites(server).flatMap((site) => {
    const { field, key, value } = site
    const isNamed = (field === 'env' || field === 'headers') && typeof value === 'string'
    const isLiteral = isNamed && partsOf(site, rules).every(({ kind }) => kind === 'text')
    return isLiteral && looksSecret(String(key), value) ? [value] : []
  })
  const names = transport.kind === 'stdio' ? (transport.passEnv ?? []) : []
  const passed = names.flatMap((name) => secretsIn([{ kind: 'env', name, text: '' }], name, world))
  return [...expanded, ...literal, ...passed]
}

/** The variables that are secrets, and the whole text with them if all of it is known: a header may be sent back as it is. */
function secretsIn(parts: readonly Part[], key: string, { env }: World): readonly string[] {
  const texts = parts.map((part) => {
    if (part.kind === 'text') return part.text
    return part.kind === 'env' ? variableIn(env, part.name) : undefined
  })
  const variables = parts.flatMap((part, at) => {
    const value = texts[at]
    if (part.kind !== 'env' || value === undefined || value === '') return []
    return shouldHideVariable(part.name, key, value) ? [value] : []
  })
  const isWhole = variables.length > 0 && !texts.includes(undefined)
  return isWhole ? [...variables, texts.join('')] : variables
}
