import { HostError } from '../../../index.ts'
import { believePlatform, createKeySecret, isKeyName, nearestNames, readSettings } from '../../../internal.ts'
import { openOwnKeys } from '../../../store.ts'
import type { GatewayKey, OwnKeys } from '../../../store.ts'
import { renderTable } from '../../terminal/table.ts'
import type { Canvas, Output } from '../../terminal/terminal-output.ts'
import { outputOf, worldOf } from '../command-context.ts'
import type { Cli, CommonFlags, CommandWorld } from '../command-context.ts'
import { usage } from '../errors.ts'

export interface AddKeyFlags extends CommonFlags {
  readonly view?: readonly string[]
  readonly expires?: Date
}

export interface RotateKeyFlags extends CommonFlags {
  /** Milliseconds. */
  readonly overlap?: number
  readonly expires?: Date
}

export function listKeys(cli: Cli, flags: CommonFlags): Promise<void> {
  return withKeys(cli, flags, async (keys, output) => {
    const found = (await keys.list()).map(toListed)
    if (flags.json || found.length > 0) output.result({ keys: found }, (canvas) => drawKeys(found, canvas))
    else output.note('There are no keys. Make one: plugboard keys add NAME')
  })
}

export function addKey(cli: Cli, flags: AddKeyFlags, name: string): Promise<void> {
  const { view: views, expires } = flags
  if (!isKeyName(name)) throw usage('The name of a key has up to 64 letters, digits, "_", "-", "." and "@".')
  return withKeys(cli, flags, async (keys, output) => {
    await warnUnknownViews(views ?? [], worldOf(cli, flags), output)
    const { secret, kept } = createKeySecret()
    const key: GatewayKey = {
      name,
      ...kept,
      ...(views && views.length > 0 && { views: [...new Set(views)] }),
      createdAt: new Date().toISOString(),
      ...(expires && { expiresAt: expires.toISOString() }),
    }
    if (!(await keys.add(key)))
      throw new HostError('key.exists', { key: name }, `There is a key "${name}".`, {
        hint: `Replace it: plugboard keys rotate ${name}`,
      })
    showSecret(output, key, secret)
  })
}

export function rotateKey(cli: Cli, flags: RotateKeyFlags, name: string): Promise<void> {
  return withKeys(cli, flags, async (keys, output) => {
    const { previous: _older, ...before } = await find(keys, name)
    const { secret, kept } = createKeySecret(before.id)
    const until = flags.overlap === undefined ? undefined : new Date(Date.now() + flags.overlap)
    const key: GatewayKey = {
      ...before,
      ...kept,
      ...(flags.expires && { expiresAt: flags.expires.toISOString() }),
      ...(until && { previous: { hash: before.hash, until: until.toISOString() } }),
    }
    if (!(await keys.replace(key))) throw unknownKey(name, [])
    showSecret(output, key, secret)
  })
}

export function removeKey(cli: Cli, flags: CommonFlags, name: string): Promise<void> {
  return withKeys(cli, flags, async (keys, output) => {
    const { id } = await find(keys, name)
    if (!(await keys.remove(name))) throw unknownKey(name, [])
    output.result({ removed: name }, () => `Removed the key ${name}. Gateways refuse it within 10 seconds.`)
    const { forgetCaller } = await import('../../../tokens.ts')
    const logins = await forgetCaller(`key:${id}`, worldOf(cli, flags)).catch((error: unknown) => {
      output.warn(`Logins of ${name} to servers, if there are any, were not removed: ${String(error)}`)
      return 0
    })
    if (logins > 0) output.note(`Removed its logins to servers: ${logins}.`)
  })
}

/** Of the person who looks: `why --key` explains what it opens. */
export async function find(keys: OwnKeys, name: string): Promise<GatewayKey> {
  const all = await keys.list()
  const found = all.find((key) => key.name === name)
  if (found) return found
  throw unknownKey(
    name,
    nearestNames(
      name,
      all.map((key) => key.name),
    ),
  )
}

function unknownKey(name: string, near: readonly string[]): HostError {
  return new HostError('key.unknown', { key: name }, `There is no key "${name}".`, {
    hint: near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See: plugboard keys list',
  })
}

async function withKeys(
  cli: Cli,
  flags: CommonFlags,
  work: (keys: OwnKeys, output: Output) => Promise<void>,
): Promise<void> {
  const output = outputOf(cli, flags)
  await cli.signals.guard(async ({ closeOnEnd }) => {
    const keys = await openOwnKeys(worldOf(cli, flags))
    closeOnEnd(keys)
    await work(keys, output)
    await output.flush()
  })
}

/** A view may be declared later, so this is no error. */
async function warnUnknownViews(
  views: readonly string[],
  world: CommandWorld,
  output: Output,
): Promise<void> {
  const { platform } = await believePlatform({ ...world.platform, cwd: world.cwd })
  const own = (await readSettings(platform)).settings.views ?? {}
  const missing = views.filter((view) => !Object.hasOwn(own, view))
  if (missing.length === 0) return
  const published = await publishedNames(world)
  const where = published
    ? 'Neither your settings nor the published configuration have a'
    : 'Your settings have no'
  for (const view of missing)
    if (!published?.includes(view)) output.warn(`${where} view "${view}": the key opens nothing there yet.`)
}

/** The names of the addresses of the published configuration; `undefined` if there is none. */
async function publishedNames(world: CommandWorld): Promise<readonly string[] | undefined> {
  const { openExplained } = await import('../../gateway/explained/explained-config.ts')
  // Only a warning depends on it: what is not published, or cannot be served, has no views.
  const config = await openExplained({ from: 'store', ...world }).catch(() => undefined)
  return config?.viewNames()
}

function showSecret(output: Output, key: GatewayKey, secret: string): void {
  output.result({ key: toListed(key), secret }, () => secret)
  output.note(
    `The key ${key.name} is shown this once: only a hash of it is kept. Send it as "Authorization: Bearer …".`,
  )
}

type ListedKey = ReturnType<typeof toListed>

/** Without the hashes. */
function toListed({ name, id, views, createdAt, expiresAt, previous }: GatewayKey) {
  return {
    name,
    id,
    ...(views && { views }),
    createdAt,
    ...(expiresAt !== undefined && { expiresAt }),
    expired: expiresAt !== undefined && Date.parse(expiresAt) <= Date.now(),
    ...(previous && { previousUntil: previous.until }),
  }
}

function drawKeys(keys: readonly ListedKey[], { style, width }: Canvas): string {
  const day = (time: string) => time.slice(0, 10)
  const overlaps = ({ previousUntil }: ListedKey) =>
    previousUntil !== undefined && Date.now() < Date.parse(previousUntil)
  return renderTable(
    [
      { title: 'name', value: ({ name }) => name, fit: 'essential' },
      { title: 'views', value: ({ views }) => views?.join(', ') ?? 'all', fit: { shrinkTo: 12 } },
      { title: 'made', value: ({ createdAt }) => day(createdAt) },
      {
        title: 'valid until',
        value: ({ expiresAt, expired }) =>
          expiresAt === undefined ? 'no limit' : `${day(expiresAt)}${expired ? ' (expired)' : ''}`,
        paint: (text, { expired }) => (expired ? style.red(text) : text),
      },
      ...(keys.some(overlaps) ? [overlapColumn(overlaps)] : []),
    ],
    keys,
    { width, paintTitle: style.dim },
  )
}

/** Until when the key before the last rotation is accepted too. */
function overlapColumn(overlaps: (key: ListedKey) => boolean) {
  return {
    title: 'old key until',
    value: (key: ListedKey) =>
      overlaps(key) ? `${key.previousUntil?.slice(0, 16).replace('T', ' ')} UTC` : '',
  }
}
