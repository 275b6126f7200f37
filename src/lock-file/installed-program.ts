import { createHash } from 'node:crypto'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { childEnv, pathFolders } from '../platform/child-env.ts'
import { installedPackage } from '../connections/runner/installed-package.ts'
import { launchedPrograms, startedFiles, startedModules } from '../model/launch/launched-programs.ts'
import { startedPackage } from '../model/launch/started-package.ts'
import type { StartedPackage } from '../model/launch/started-package.ts'
import type { Server } from '../model/server.ts'
import type { Env, Platform } from '../platform/platform.ts'
import { localDigest } from './local-images.ts'
import { resolveModule, resolveScript } from './resolved-scripts.ts'

/** What a declaration runs on this machine now. */
export interface InstalledProgram {
  /**
   * The same on every machine: the name of a program outside of the project, `./path` for one in it. Absent for a server
   * that is only an address.
   */
  readonly command?: string
  /** Where the command is on this machine; absent if it was not found, or depends on variables. */
  readonly path?: string
  readonly package?: StartedPackage
  /** The version or digest that runs: the exact one asked for, else the one that is installed. Absent if neither is known. */
  readonly version?: string
  /** SHA-256 of the files of the project that are run, by their path in it. */
  readonly scripts: ReadonlyMap<string, string>
  /** T133: those of the scripts that the command line does not name as files. Absent if there are none. */
  readonly resolved?: ReadonlySet<string>
}

export interface InstalledContext {
  readonly platform: Pick<Platform, 'os' | 'home' | 'cwd' | 'env' | 'files' | 'uid'>
  /** The project's folders: programs in them are not found by name (T04). */
  readonly dirs: readonly string[]
}

/** A larger script is not hashed. */
const maxScriptBytes = 64 * 1024 * 1024

/** T03: reads files only; nothing is started, fetched or resolved. */
export async function readInstalledProgram(
  server: Pick<Server, 'transport' | 'folder' | 'runner'>,
  context: InstalledContext,
): Promise<InstalledProgram> {
  const { transport } = server
  const launch = transport.kind === 'stdio' ? transport : transport.launch
  if (!launch) return { scripts: new Map() }
  const [found, { scripts, resolved }, version] = await Promise.all([
    locateCommand(launch.command, server, context),
    hashScripts(server, context),
    versionNow(server, context),
  ])
  const asked = startedPackage(server)
  return {
    ...found,
    ...(asked && { package: asked }),
    ...(version !== undefined && { version }),
    scripts,
    ...(resolved.size > 0 && { resolved }),
  }
}

async function locateCommand(
  command: string,
  server: Pick<Server, 'transport' | 'folder'>,
  { platform, dirs }: InstalledContext,
): Promise<Pick<InstalledProgram, 'command' | 'path'>> {
  const base = workingFolder(server, platform)
  if (hasPlaceholder(command) || base === undefined) return { command }
  const { files, os, env } = platform
  const path = /[\\/]/.test(command)
    ? resolve(base, command)
    : await findInPath(command, pathFolders(childEnv({ os, env, dirs })['PATH'] ?? '', os), platform)
  if (path === undefined || !(await files.stat(path))) return { command }
  const inProject = await pathInProject(path, server, platform)
  return { command: inProject === undefined ? command : `./${inProject}`, path }
}

async function findInPath(
  command: string,
  folders: readonly string[],
  { os, files }: Pick<Platform, 'os' | 'files'>,
): Promise<string | undefined> {
  const endings = os === 'win32' ? ['.exe', '.cmd', '.bat', ''] : ['']
  for (const folder of folders)
    for (const ending of endings) {
      const path = join(folder, command + ending)
      const stat = await files.stat(path)
      if (stat?.kind === 'file' && (os === 'win32' || (stat.mode & 0o111) !== 0)) return path
    }
  return undefined
}

async function hashScripts(
  server: Pick<Server, 'transport' | 'folder'>,
  { platform }: InstalledContext,
): Promise<Required<Pick<InstalledProgram, 'scripts' | 'resolved'>>> {
  const base = workingFolder(server, platform)
  const hashes = new Map<string, string>()
  const resolved = new Set<string>()
  if (base === undefined) return { scripts: hashes, resolved }
  const { named, found } = await scriptPaths(server, base, platform)
  for (const path of [...named, ...found]) {
    const inProject = await pathInProject(path, server, platform)
    const bytes =
      inProject === undefined
        ? undefined
        : await platform.files.readBytes(path, { maxBytes: maxScriptBytes }).catch(() => undefined)
    if (inProject === undefined || !bytes) continue
    if (!named.includes(path) && !hashes.has(inProject)) resolved.add(inProject)
    hashes.set(inProject, `sha256:${createHash('sha256').update(bytes).digest('hex')}`)
  }
  return { scripts: hashes, resolved }
}

/** The files that the command line names, and those that its runtime finds for what is no file. */
async function scriptPaths(
  server: Pick<Server, 'transport' | 'folder'>,
  base: string,
  { files }: Pick<Platform, 'files'>,
): Promise<{ readonly named: readonly string[]; readonly found: readonly string[] }> {
  const named: string[] = []
  const found: string[] = []
  for (const written of startedFiles(server)) {
    const text = inFolder(written, server)
    if (hasPlaceholder(text)) continue
    const path = resolve(base, text)
    if ((await files.stat(path))?.kind === 'file') named.push(path)
    else found.push(...(await resolveScript(path, files)))
  }
  for (const name of startedModules(server)) found.push(...(await resolveModule(base, name, files)))
  return { named, found }
}

/** The version of the package or image that would start now. */
async function versionNow(
  server: Pick<Server, 'transport' | 'runner'>,
  { platform, dirs }: InstalledContext,
): Promise<string | undefined> {
  const asked = startedPackage(server)
  if (!asked || asked.version !== undefined) return asked?.version
  const env = server.runner ? platform.env : environmentOf(server, platform, dirs)
  const { files, home } = platform
  if (asked.isImage) return localDigest(asked, { ...platform, env })
  for (const { name, args } of launchedPrograms(server)) {
    const found = await installedPackage(name, args, { env, home, files })
    if (found) return 'missing' in found ? undefined : found.version
  }
  return undefined
}

/** As far as the entry says it without placeholders: the variables decide where packages are installed. */
function environmentOf(
  { transport }: Pick<Server, 'transport'>,
  { os, env }: Pick<Platform, 'os' | 'env'>,
  dirs: readonly string[],
): Env {
  if (transport.kind !== 'stdio') return childEnv({ os, env, dirs })
  const passed = (transport.passEnv ?? []).map((name) => [name, env[name]] as const)
  const literal = Object.entries(transport.env).flatMap(([name, value]) =>
    typeof value === 'string' && !hasPlaceholder(value) ? [[name, value] as const] : [],
  )
  return {
    ...childEnv({ os, env, dirs }, transport.inheritEnv),
    ...Object.fromEntries(passed),
    ...Object.fromEntries(literal),
  }
}

function hasPlaceholder(text: string): boolean {
  return /[${]|^!|^~/.test(text)
}

/** Editors write the project's folder as a variable. */
function inFolder(text: string, { folder }: Pick<Server, 'folder'>): string {
  return folder === undefined ? text : text.replace(/^\$\{workspace(?:Folder|Root)\}/, folder)
}

/** The folder that the program starts in; undefined if it depends on a variable. */
function workingFolder(
  server: Pick<Server, 'transport' | 'folder'>,
  platform: Pick<Platform, 'cwd'>,
): string | undefined {
  const { transport, folder = platform.cwd } = server
  const cwd = transport.kind === 'stdio' ? inFolder(transport.cwd ?? '.', server) : '.'
  return hasPlaceholder(cwd) ? undefined : resolve(folder, cwd)
}

/** The path inside the project's folder, with `/`; undefined for a file outside of it. Links are followed. */
async function pathInProject(
  path: string,
  { folder }: Pick<Server, 'folder'>,
  { files }: Pick<Platform, 'files'>,
): Promise<string | undefined> {
  if (folder === undefined) return undefined
  const [real, root] = await Promise.all([files.realPath(path), files.realPath(folder)])
  const way = relative(root, real)
  if (way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return undefined
  return way.split(sep).join('/')
}
