import { dirname, sep } from 'node:path'
import { discover, nodePlatform } from '../../index.ts'
import type { Diagnostic, DiscoverOptions, Discovery, Files, Host, Server, SourceId } from '../../index.ts'
import { folderOf, givenPlatform } from './command-context.ts'
import type { Cli, CommonFlags, Scope } from './command-context.ts'
import type { Exit } from './exit-codes.ts'

export function discoverOptions(cli: Cli, flags: CommonFlags): DiscoverOptions {
  const { preset, cwd, config, source, trust } = flags
  return {
    ...(preset !== undefined && { preset }),
    ...(cwd !== undefined && { cwd: folderOf(cli, flags) }),
    ...givenPlatform(cli),
    ...(config !== undefined && { config }),
    // `discover` rejects an unknown id and suggests the nearest ones.
    ...(source !== undefined && source.length > 0 && { sources: source as readonly SourceId[] }),
    ...(trust && { trust: 'project' as const }),
    lock: true,
  }
}

export function discoverFor(
  cli: Cli,
  flags: CommonFlags,
  more: Partial<DiscoverOptions> = {},
): Promise<Discovery> {
  // A given platform belongs to a program that goes on after the command.
  const platform = cli.platform ?? { files: createFiles() }
  return discover({ ...discoverOptions(cli, flags), platform, ...more })
}

/** Above this size, switching off optimization saves more time than it costs. */
const largeBytes = 60_000

/**
 * This machine's files. After reading a lot of text, V8's optimizing compiler is switched off: the command ends before
 * optimized code pays off, and the compiler threads would only compete for the CPU.
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

/** `project` covers declarations of the project; `user` everything else: user, explicitly named and managed files. */
export function isInScope({ origin }: Server, scope: Scope | undefined): boolean {
  return scope === undefined || (origin.authority === 'project') === (scope === 'project')
}

/** The discovery limited to one scope. Precedence was already decided among all scopes. */
export function narrowToScope(discovery: Discovery, scope: Scope | undefined): Discovery {
  if (scope === undefined) return discovery
  return {
    ...discovery,
    servers: discovery.servers.filter((server) => isInScope(server, scope)),
    shadowed: discovery.shadowed.filter(({ server }) => isInScope(server, scope)),
  }
}

/** A filter for items of servers in the scope of `--scope`. */
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

/** One of our own files is ignored entirely: the trust store, or settings that cannot be parsed at all. */
export function isDamage({ code, severity, origin }: Diagnostic): boolean {
  if (code === 'store-damaged') return true
  return code === 'settings-invalid' && severity === 'error' && !origin?.pointer
}

const fileProblems: ReadonlySet<string> = new Set([
  'parse-error',
  'unreadable-file',
  'wrong-root-key',
  'bare-root',
  'wrong-type',
  'lock-broken',
])

/** Everything that a config file declares is missing: it cannot be read or parsed, or has no servers where it should. */
function isUnusableFile({ code, severity, server, origin }: Diagnostic): boolean {
  return severity === 'error' && server === undefined && origin !== undefined && fileProblems.has(code)
}

/** Whether a file that the command depends on could not be used. */
export function isBrokenFile(diagnostic: Diagnostic): boolean {
  return isDamage(diagnostic) || isUnusableFile(diagnostic)
}

/** The exit of a command that depends on the files with these problems, even if the servers of other files work. */
export function exitForFiles(diagnostics: readonly Diagnostic[]): Exit | undefined {
  if (diagnostics.some(isDamage)) return 'damaged'
  return diagnostics.some(isUnusableFile) ? 'failed' : undefined
}

/** With `--scope`: the problems in files of that scope, and those without a file. */
export function problemsInScope(discovery: Discovery, cli: Cli, flags: CommonFlags): readonly Diagnostic[] {
  const { scope } = flags
  if (scope === undefined) return discovery.diagnostics
  const declared = [...discovery.servers, ...discovery.shadowed.map(({ server }) => server)]
  const authorities = new Map(declared.map(({ origin }) => [origin.file, origin.authority]))
  const folders = projectFolders(folderOf(cli, flags), cli.process.env['HOME'])
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

/** The working directory and its parents below the home directory: a project cannot start higher up. */
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
