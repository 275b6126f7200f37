import { dirname, resolve, sep } from 'node:path'
import type { Diagnostic, Discovery } from '../../index.ts'
import type { Cli, CommonFlags } from './command-context.ts'

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
