import { readFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import { HostError } from '../../../index.ts'
import { checkPublished, configRefused, toListedDiagnostics, withPlace } from '../../../internal.ts'
import { openOwnStore } from '../../../store.ts'
import type { GatewayVersion, Store } from '../../../store.ts'
import { renderTable } from '../../terminal/table.ts'
import type { Canvas, Output } from '../../terminal/terminal-output.ts'
import { outputOf, worldOf } from '../command-context.ts'
import type { Cli, CommonFlags } from '../command-context.ts'
import { usage } from '../errors.ts'
import { count } from '../output/draw.ts'

export interface PublishFlags extends CommonFlags {
  readonly message?: string
}

export interface VersionsFlags extends CommonFlags {
  readonly limit?: number
}

const maxBytes = 1024 * 1024
const maxMessage = 500
const usualLimit = 20

/** Checks a file, and makes it the configuration that gateways serve. */
export async function publish(cli: Cli, flags: PublishFlags, given: string): Promise<void> {
  const { message } = flags
  if (message !== undefined && message.length > maxMessage)
    throw usage(`The message has at most ${maxMessage} characters.`)
  const world = worldOf(cli, flags)
  const file = resolve(world.cwd, given)
  const text = await readConfig(file)
  const { refused, diagnostics, servers } = await checkPublished(world, file, text)
  if (refused.length > 0) throw configRefused(file, 'The configuration was not published.', refused)
  await withStore(cli, flags, async (store, output) => {
    const by = account()
    const { isNew, ...published } = await store.versions.publish({
      text,
      ...(by !== undefined && { by }),
      ...(message !== undefined && { message }),
    })
    const listed = toListedDiagnostics(diagnostics)
    output.result({ published, isNew, servers, diagnostics: listed }, () =>
      isNew
        ? `Published version ${published.number}: ${count(servers.length, 'server')}. Gateways serve it within 5 seconds.`
        : `Nothing has changed: version ${published.number} has the same text.`,
    )
    for (const problem of diagnostics) output.warn(withPlace(file, problem))
  })
}

/** Makes a new version with the text of an earlier one. */
export function rollback(cli: Cli, flags: CommonFlags, given: string): Promise<void> {
  const number = Number(given)
  return withStore(cli, flags, async (store, output) => {
    const made = await store.versions.rollback(number, account())
    if (!made)
      throw new HostError('version.unknown', { number }, `There is no version ${number}.`, {
        hint: 'See: plugboard gateway versions',
      })
    const { isNew, ...published } = made
    output.result({ published, isNew }, () =>
      isNew
        ? `Published version ${published.number}, with the text of version ${number}.`
        : `Nothing has changed: version ${published.number} has the text of version ${number}.`,
    )
  })
}

export function listVersions(cli: Cli, flags: VersionsFlags): Promise<void> {
  return withStore(cli, flags, async (store, output) => {
    const versions = await store.versions.list(flags.limit ?? usualLimit)
    if (flags.json || versions.length > 0)
      output.result({ versions }, (canvas) => drawVersions(versions, canvas))
    else output.note('Nothing is published. Publish a configuration: plugboard gateway publish FILE')
  })
}

async function withStore(
  cli: Cli,
  flags: CommonFlags,
  work: (store: Store, output: Output) => Promise<void>,
): Promise<void> {
  const output = outputOf(cli, flags)
  await cli.signals.guard(async ({ closeOnEnd }) => {
    const { store, problems } = await openOwnStore({ ...worldOf(cli, flags), retryMs: 5000 })
    if (!store)
      throw new HostError('store.unavailable', { place: '' }, 'There is no store to publish to.', {
        ...(problems[0]?.hint !== undefined && { hint: problems[0].hint }),
      })
    closeOnEnd(store)
    await work(store, output)
    await output.flush()
  })
}

async function readConfig(file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw usage(`${file} cannot be read (${error.code ?? error.message}).`)
  })
  if (bytes.length > maxBytes) throw usage(`${file} has more than ${maxBytes} bytes.`)
  return bytes.toString('utf8')
}

function account(): string | undefined {
  try {
    return userInfo().username
  } catch {
    return undefined
  }
}

function drawVersions(versions: readonly GatewayVersion[], { style, width }: Canvas): string {
  return renderTable(
    [
      { title: 'version', value: ({ number }) => String(number), fit: 'essential' },
      { title: 'published', value: ({ at }) => `${at.slice(0, 10)} ${at.slice(11, 19)}` },
      { title: 'by', value: ({ by }) => by ?? '' },
      {
        title: 'message',
        value: ({ message, copyOf }) => message ?? (copyOf === undefined ? '' : `as version ${copyOf}`),
        fit: { shrinkTo: 20 },
      },
    ],
    versions,
    { width, paintTitle: style.dim },
  )
}
