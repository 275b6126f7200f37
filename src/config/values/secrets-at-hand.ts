import { resolve } from 'node:path'
import { reveal } from '../../model/resolved.ts'
import { Secret } from '../../model/secret.ts'
import type { Redactor } from '../../model/secrets/redactor.ts'
import type { Discovery, Server } from '../../model/server.ts'
import type { Platform } from '../../platform/platform.ts'
import { classifyLiteral, looksSecret } from '../../sources/entries/literal-secrets.ts'
import { shouldHideVariable } from '../../sources/entries/secret-names.ts'
import type { Part, ValueField } from '../../sources/entries/template.ts'
import type { World } from '../../sources/source.ts'
import type { DiscoverOptions } from '../discover-options.ts'
import { settingsFile, readSettings } from '../settings.ts'
import { createWorld } from '../world.ts'
import { secretsInAddress, secretsInArguments } from './literal-parts.ts'
import { asServer } from './own-value.ts'
import { resolveValues } from './resolve-values.ts'
import { fileValue } from './value-files.ts'
import { allSites, baseFolder, partsOf, valueSites, variableIn } from './value-sites.ts'
import { valueSourceOf } from './value-source.ts'

interface AtHandOptions {
  readonly platform: Platform
  readonly options: Pick<DiscoverOptions, 'config' | 'strictType' | 'settings' | 'lastGood'>
  readonly redactor: Redactor
  /** Which servers are trusted; files of others are not read (T01). */
  readonly trust: Discovery['trust']
}

/** Larger files hold no secret of an entry. */
const maxFileBytes = 64 * 1024

/**
 * Registers the secrets of servers that may not have been started yet: secrets written in their entries, values of the
 * environment and of files that the entries name, and variables of the environment that are secrets by their name. Runs no
 * command and opens no keychain (T35, decision 073).
 */
export async function registerSecretsAtHand(
  servers: readonly Server[],
  { platform, options, redactor, trust }: AtHandOptions,
): Promise<void> {
  const world = await createWorld(platform, options)
  const own = await ownValues(options, platform)
  for (const secret of secretsInEnvironment(world)) redactor.register(secret)
  for (const server of [...servers, ...own]) {
    for (const secret of await secretsAtHand(server, world)) redactor.register(secret)
    if (trust.get(server) !== 'trusted' && !own.includes(server)) continue
    for (const secret of await secretsInFiles(server, world, platform)) redactor.register(secret)
  }
}

/** The values of the person's settings that are references, each as the header of a server: the rules are the same. */
async function ownValues(options: AtHandOptions['options'], platform: Platform): Promise<readonly Server[]> {
  if (options.settings === false) return []
  const { endpoints = {}, store } = (await readSettings(platform, options.lastGood)).settings
  const texts = Object.entries(endpoints).flatMap(([name, { key, headers = {} }]) => [
    [`endpoints.${name}.key`, key] as const,
    ...Object.entries(headers).map(([header, text]) => [`endpoints.${name}.${header}`, text] as const),
  ])
  const file = settingsFile(platform)
  return [...texts, ['store.url', store?.url] as const].flatMap(([key, text]) =>
    text === undefined ? [] : [asServer(text, key, file)],
  )
}

/** Keys and passwords for other programs, which no entry names. */
function secretsInEnvironment({ env }: World): readonly string[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    if (classifyLiteral(name, value) !== 'secret') return []
    const within = secretsInAddress(value)
    return within.length > 0 ? within : [value]
  })
}

/** What `{file:…}` and the envFile of an entry hold, and the texts that are made of it. */
async function secretsInFiles(
  server: Server,
  world: World,
  { files }: Pick<Platform, 'files'>,
): Promise<readonly string[]> {
  const { transport } = server
  if (transport.kind === 'channel') return []
  const rules = (await valueSourceOf(server)).valuesOf(server, world)
  const secrets: string[] = []
  const file = async (path: string) => {
    const found = await fileValue(server, path, { files, home: world.home, maxBytes: maxFileBytes })
    if (found !== undefined) secrets.push(found)
    return found
  }
  const lookup = { env: world.env, home: world.home, project: baseFolder(server, world), file } as const
  const { values } = await resolveValues(server, rules, { ...lookup, wholeOnly: true })
  const { envFile, args = [], env = {}, headers = {} } = values
  for (const value of [...args, ...Object.values(env), ...Object.values(headers)])
    if (value instanceof Secret) secrets.push(value.reveal())
  if (transport.kind !== 'stdio' || transport.envFile === undefined) return secrets
  const { readVariables } = await import('./env-file.ts')
  const path = reveal(envFile ?? transport.envFile)
  const variables = await readVariables(resolve(lookup.project, path), files)
  const hidden = Object.entries(variables ?? {}).filter(([name, value]) =>
    shouldHideVariable(name, name, value),
  )
  return [...secrets, ...hidden.map(([, value]) => value)]
}

async function secretsAtHand(server: Server, world: World): Promise<readonly string[]> {
  const { transport } = server
  const rules = (await valueSourceOf(server)).valuesOf(server, world)
  const expanded = valueSites(server, rules).flatMap((site) =>
    secretsIn(partsOf(site, rules), String(site.key), world),
  )
  const literal = allSites(server).flatMap((site) => {
    const { field, key, value } = site
    const isNamed = namedFields.has(field) && typeof value === 'string'
    const isLiteral = isNamed && partsOf(site, rules).every(({ kind }) => kind === 'text')
    return isLiteral && looksSecret(String(key), value) ? [value] : []
  })
  const names = transport.kind === 'stdio' ? (transport.passEnv ?? []) : []
  const passed = names.flatMap((name) => secretsIn([{ kind: 'env', name, text: '' }], name, world))
  return [...expanded, ...literal, ...writtenIn(server), ...passed]
}

/** Fields whose keys say what a value is. */
const namedFields = new Set<ValueField>(['env', 'headers', 'auth'])

/** Secrets in the address or the arguments, where they are no reference to a variable. */
function writtenIn({ transport }: Server): readonly string[] {
  if (transport.kind === 'stdio') return secretsInArguments(transport.args)
  return transport.kind === 'channel' ? [] : secretsInAddress(transport.url)
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
