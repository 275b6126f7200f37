import { existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { readOffers } from '../../../../config.ts'
import { HostError } from '../../../../index.ts'
import type { Server } from '../../../../index.ts'
import type { ServerOffers } from '../../../../scan.ts'
import { folderOf, worldOf } from '../../command-context.ts'
import type { Cli } from '../../command-context.ts'
import { readDefinitions } from './read-definitions.ts'

/** More is no list of tools that a model could read. */
const maxBytes = 64 * 1024 * 1024

/** What a file holds: definitions of one server, or declarations of several. */
export type ScannedFile =
  | { readonly offers: ServerOffers; readonly servers: readonly [] }
  | { readonly offers?: undefined; readonly servers: readonly Server[] }

/** A path rather than the name of a server: `-`, a name with a folder or an ending, or a file that exists. */
export function isFile(name: string, folder: string): boolean {
  return (
    name === '-' ||
    /[\\/]|\.(?:json5?|jsonc|toml|ya?ml)$/.test(name) ||
    (name.includes('.') && existsSync(resolve(folder, name)))
  )
}

/** Reads definitions from a file or the standard input, or the servers that a configuration file declares. */
export async function readScannedFile(cli: Cli, file: string): Promise<ScannedFile> {
  const text =
    file === '-' ? await readAll(cli.process.stdin as NodeJS.ReadableStream) : readText(file, folderOf(cli))
  const offers = readDefinitions(file, text)
  if (offers) return { offers, servers: [] }
  return { servers: await readDeclarations(cli, file, text) }
}

/** Reads the servers of a configuration in the dialect of any client, without resolving or starting anything. */
async function readDeclarations(cli: Cli, file: string, text: string): Promise<readonly Server[]> {
  try {
    const offers = await readOffers(file, { ...worldOf(cli), ...(file === '-' && { stdin: text }) })
    return offers.map(({ server }) => server)
  } catch (error) {
    const why = error instanceof HostError ? ` (${error.message})` : ''
    throw unusable(file, `it holds no definitions of tools and no servers${why}`)
  }
}

function readText(file: string, folder: string): string {
  const path = resolve(folder, file)
  try {
    const about = statSync(path)
    if (!about.isFile()) throw unusable(file, 'it is no file')
    if (about.size > maxBytes) throw unusable(file, 'it is larger than 64 MB')
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof HostError) throw error
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw unusable(
      file,
      isMissing ? 'there is no such file' : error instanceof Error ? error.message : String(error),
    )
  }
}

function unusable(file: string, why: string): HostError {
  return new HostError('usage', {}, `${file === '-' ? 'The input' : file} cannot be scanned: ${why}.`, {
    hint: 'Give a list of tools, an answer to tools/list, or a configuration file of any client.',
  })
}
