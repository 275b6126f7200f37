import { dirname, resolve, sep } from 'node:path'
import { discover, nodePlatform } from '../../index.ts'
import type { Diagnostic, DiscoverOptions, Discovery, Files, Host, Server, SourceId } from '../../index.ts'
import type { Cli, CommonFlags, Scope } from './command-context.ts'

export function discoverOptions(flags: CommonFlags): DiscoverOptions {
  const { preset, cwd, config, source, trust } = flags
  return {
    ...(preset !== undefined && { preset }),
    ...(cwd !== undefined && { cwd }),
    ...(config !== undefined && { config }),
    // An unknown id is refused by `discover`, with the nearest ones named.
    ...(source !== undefined && source.length > 0 && { sources: source as readonly SourceId[] }),
    ...(trust && { trust: 'project' as const }),
  }
}

export function discoverFor(flags: CommonFlags, more: Partial<DiscoverOptions> = {}): Promise<Discovery> {
  return discover({ ...discoverOptions(flags), platform: { files: createFiles() }, ...more })
}

/** From here on reading takes longer than telling the engine how to go about it. */
const largeBytes = 60_000

/**
 * This machine's files. With much to read, optimized code is switched off: a command is over before it pays off, and the
 * compiler's threads would only take time from others.
 */
function createFiles(): Files {
  const { files } = nodePlatform()
  let read = 0
  return {
    ...files,
    async readText(path, options) {
      const found = await files.readText(path, options)
      const before = read
      if (found.kind === 'text') read += found.text.length
      if (before <= largeBytes && read > largeBytes) {
        process.getBuiltinModule('node:v8').setFlagsFromString('--no-opt')
      }
      return found
    },
  }
}

/** `project` is what the project declares; `user` is everything else: one's own, what one named, what one's machine has. */
export function isInScope({ origin }: Server, scope: Scope | undefined): boolean {
  return scope === undefined || (origin.authority === 'project') === (scope === 'project')
}

/** What is in force of one scope alone. Who counts is decided among all of them before. */
export function narrowToScope(discovery: Discovery, scope: Scope | undefined): Discovery {
  if (scope === undefined) return discovery
  return {
    ...discovery,
    servers: discovery.servers.filter((server) => isInScope(server, scope)),
    shadowed: discovery.shadowed.filter(({ server }) => isInScope(server, scope)),
  }
}

/** Whether something of this server is of the scope that is meant. */
export function scopeFilter(
  { discovery }: Pick<Host, 'discovery'>,
  { scope }: CommonFlags,
): (item: { readonly server: string }) => boolean {
  if (scope === undefined) return () => true
  const names = new Set(
    discovery.servers.filter((server) => isInScope(server, scope)).map(({ name }) => name),
  )
  return ({ server }) => names.has(server)
}

/** A file of ours of which nothing counts: the trust store, or settings that cannot be read at all. */
export function isDamage({ code, origin }: Diagnostic): boolean {
  return code === 'store-damaged' || (code === 'settings-invalid' && origin?.pointer === undefined)
}

/** The file that the operator named cannot be read. */
export function isMissingConfig(
  { code, origin }: Diagnostic,
  { env }: Cli['process'],
  flags: CommonFlags,
): boolean {
  if (code !== 'unreadable-file') return false
  const named = [flags.config, env['PLUGBOARD_CONFIG']].flatMap((file) => (file ? [file] : []))
  return named.some((file) => resolve(flags.cwd ?? '.', file) === origin?.file)
}

/** With a scope: the problems of its files, and those that belong to no file. */
export function problemsInScope(discovery: Discovery, cli: Cli, flags: CommonFlags): readonly Diagnostic[] {
  const { scope } = flags
  if (scope === undefined) return discovery.diagnostics
  const declared = [...discovery.servers, ...discovery.shadowed.map(({ server }) => server)]
  const authorities = new Map(declared.map(({ origin }) => [origin.file, origin.authority]))
  const folders = projectFolders(resolve(flags.cwd ?? '.'), cli.process.env['HOME'])
  return discovery.diagnostics.filter(({ origin }) => {
    if (origin === undefined) return true
    const authority = authorities.get(origin.file)
    const isProject =
      authority === undefined
        ? folders.some((folder) => origin.file.startsWith(folder + sep))
        : authority === 'project'
    return isProject === (scope === 'project')
  })
}

/** The working directory and those above it, up to the home directory: no project reaches further. */
function projectFolders(cwd: string, home: string = sep): readonly string[] {
  const folders: string[] = []
  for (
    let folder = cwd;
    !`${home}${sep}`.startsWith(folder + sep) && dirname(folder) !== folder;
    folder = dirname(folder)
  )
    folders.push(folder)
  return folders
}
