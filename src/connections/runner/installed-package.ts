import { basename, join } from 'node:path'
import { isObject, isStringArray } from '../../model/json.ts'
import type { JsonObject } from '../../model/json.ts'
import type { Files } from '../../platform/platform.ts'

/** A command whose package was fetched outside of the box. */
export interface InstalledPackage {
  readonly command: string
  readonly args: readonly string[]
  /** The folders of the package, which the box reads. */
  readonly read: readonly string[]
  /** The version that is installed; absent if its folder does not say it. */
  readonly version?: string
}

export interface MissingPackage {
  readonly missing: string
  /** Fetches it outside of the box; absent if the command line is none that we can read. */
  readonly fetch?: string
}

export interface PackageContext {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly home: string
  readonly files: Pick<Files, 'list' | 'readText' | 'stat' | 'realPath'>
}

/**
 * `npx`, `uvx` and `pipx run` write to their caches even to start what is there, and a box must not change what runs outside of
 * it. So the program that they have installed is started directly, its folder read-only. Undefined for other commands.
 */
export async function installedPackage(
  command: string,
  args: readonly string[],
  context: PackageContext,
): Promise<InstalledPackage | MissingPackage | undefined> {
  const name = basename(command)
  if (name === 'npx') return fromNpm(args, context)
  if (name === 'npm' && /^(?:exec|x)$/.test(args[0] ?? '')) return fromNpm(args.slice(1), context)
  if (name === 'uvx') return fromPython('uv', args, context)
  if (name === 'uv' && args[0] === 'tool' && args[1] === 'run')
    return fromPython('uv', args.slice(2), context)
  if (name === 'pipx' && args[0] === 'run') return fromPython('pipx', args.slice(1), context)
  return undefined
}

/** Whether a command fetches a package and starts it. */
export function isPackageCommand(command: string): boolean {
  return /^(?:npx|npm|uvx?|pipx)$/.test(basename(command))
}

/** The folders where fetched packages are kept: a box opens the one that it needs by itself. */
export function packageFoldersOf({ env, home }: Pick<PackageContext, 'env' | 'home'>): readonly string[] {
  const data = env['XDG_DATA_HOME'] ?? join(home, '.local', 'share')
  return [
    join(env['npm_config_cache'] ?? env['NPM_CONFIG_CACHE'] ?? join(home, '.npm'), '_npx'),
    env['UV_TOOL_DIR'] ?? join(data, 'uv', 'tools'),
    uvCacheOf({ env, home }),
    join(env['PIPX_HOME'] ?? join(data, 'pipx'), 'venvs'),
  ]
}

interface Wanted {
  readonly packages: readonly string[]
  /** Absent: the program of the package. */
  readonly program?: string
  readonly args: readonly string[]
}

/** Reads `[options] PACKAGE [args]` and `--package PACKAGE PROGRAM [args]`. */
function readWanted(args: readonly string[], packageOptions: RegExp): Wanted | undefined {
  const packages: string[] = []
  let at = 0
  for (; at < args.length; at++) {
    const word = args[at] ?? ''
    const [option = '', inline] = word.split(/=(.*)/s, 2)
    if (packageOptions.test(option)) packages.push(inline ?? args[++at] ?? '')
    else if (!/^(?:-y|--yes|-q|--quiet|--prefer-offline|--offline)$/.test(word)) break
  }
  if (args[at] === '--') at++
  const operand = args[at]
  if (operand === undefined || operand.startsWith('-')) return undefined
  const rest = args.slice(at + 1)
  return packages.length > 0
    ? { packages, program: operand, args: rest[0] === '--' ? rest.slice(1) : rest }
    : { packages: [operand], args: rest }
}

async function fromNpm(
  args: readonly string[],
  context: PackageContext,
): Promise<InstalledPackage | MissingPackage> {
  const wanted = readWanted(args, /^(?:-p|--package)$/)
  if (!wanted) return { missing: `npx ${args.join(' ')}` }
  const { env, home, files } = context
  const cache = env['npm_config_cache'] ?? env['NPM_CONFIG_CACHE'] ?? join(home, '.npm')
  const folder = await installedByNpx(join(cache, '_npx'), wanted.packages, files)
  const manifest = folder === undefined ? undefined : await manifestOf(folder, wanted, files)
  const program = wanted.program === undefined ? manifest && programOf(manifest) : plainName(wanted.program)
  if (folder === undefined || program === undefined) {
    const named = wanted.packages.map((each) => `--package=${each}`).join(' ')
    return { missing: wanted.packages.join(', '), fetch: `npm exec --yes ${named} -- true` }
  }
  const version = manifest?.content['version']
  return {
    command: join(folder, 'node_modules', '.bin', program),
    args: wanted.args,
    read: [folder],
    ...(typeof version === 'string' && { version }),
  }
}

function plainName(program: string): string | undefined {
  return program.includes('/') ? undefined : program
}

/** The folder where npx has installed exactly these packages: it writes them into its `package.json`. */
async function installedByNpx(
  cache: string,
  packages: readonly string[],
  files: PackageContext['files'],
): Promise<string | undefined> {
  const key = [...packages].sort().join('\n')
  for (const name of await files.list(cache)) {
    const manifest = await readJson(join(cache, name, 'package.json'), files)
    const npx = manifest?.['_npx']
    const installed = isObject(npx) ? npx['packages'] : undefined
    if (isStringArray(installed) && [...installed].sort().join('\n') === key) return join(cache, name)
  }
  return undefined
}

interface Manifest {
  readonly name: string
  readonly content: JsonObject
}

/** The manifest of the first package, by the name that npx wrote down: the one asked for may be an address. */
async function manifestOf(
  folder: string,
  { packages }: Wanted,
  files: PackageContext['files'],
): Promise<Manifest | undefined> {
  const dependencies = (await readJson(join(folder, 'package.json'), files))?.['dependencies']
  const names = isObject(dependencies) ? Object.keys(dependencies) : []
  const [wanted = ''] = packages
  const name =
    names.length === 1 ? names[0] : names.find((each) => wanted === each || wanted.startsWith(`${each}@`))
  if (name === undefined) return undefined
  const content = await readJson(join(folder, 'node_modules', name, 'package.json'), files)
  return content && { name, content }
}

/** As npm chooses: the only program of the package, or the one with its name. */
function programOf({ name, content: { bin } }: Manifest): string | undefined {
  if (typeof bin === 'string') return basename(name)
  const programs = isObject(bin) ? Object.keys(bin) : []
  return programs.length === 1 ? programs[0] : programs.find((each) => each === basename(name))
}

/** The tools that `uv tool install` and `pipx install` keep, each in an environment of its own, and those in the cache of uvx. */
async function fromPython(
  installer: 'uv' | 'pipx',
  args: readonly string[],
  context: PackageContext,
): Promise<InstalledPackage | MissingPackage> {
  const wanted = readWanted(args, /^(?:--from|--spec)$/)
  const spec = wanted?.packages[0]
  if (!wanted || spec === undefined || wanted.packages.length > 1)
    return { missing: `${installer} ${args.join(' ')}` }
  const { env, home, files } = context
  const fetch = installer === 'uv' ? `uv tool install ${spec}` : `pipx install ${spec}`
  const [, name = '', version] = /^([\w.-]+)(?:\[[^\]]*\])?(?:(?:==|@)(.+))?$/.exec(spec) ?? []
  if (name === '') return { missing: spec, fetch }
  const data = env['XDG_DATA_HOME'] ?? join(home, '.local', 'share')
  const tools =
    installer === 'uv'
      ? (env['UV_TOOL_DIR'] ?? join(data, 'uv', 'tools'))
      : join(env['PIPX_HOME'] ?? join(data, 'pipx'), 'venvs')
  const asked = version === 'latest' ? undefined : version
  const program = wanted.program ?? name
  const own = join(tools, normal(name))
  const isInstalled = (await files.stat(join(own, 'bin', program))) !== undefined
  const isOwn = isInstalled && (await hasVersion(own, name, asked, files))
  const cached =
    isOwn || installer === 'pipx' ? undefined : await cachedByUv({ name, program, version: asked }, context)
  const folder = isOwn ? own : cached
  if (folder === undefined)
    return { missing: spec, fetch: isInstalled && installer === 'pipx' ? `${fetch} --force` : fetch }
  const command = join(folder, 'bin', program)
  const installed = await installedVersions(folder, name, files)
  const python = await files.realPath(join(folder, 'bin', 'python')).catch(() => undefined)
  const interpreter = python === undefined || python.startsWith('/usr/') ? [] : [join(python, '..', '..')]
  const [only] = installed
  return {
    command,
    args: wanted.args,
    read: [folder, ...interpreter],
    ...(only !== undefined && installed.length === 1 && { version: only }),
  }
}

async function hasVersion(
  folder: string,
  name: string,
  version: string | undefined,
  files: PackageContext['files'],
): Promise<boolean> {
  return version === undefined || (await installedVersions(folder, name, files)).includes(version)
}

/**
 * The environment that `uvx` made for a package that is not installed as a tool: `environments-vN/INTERPRETER/PACKAGES` in its
 * cache, each a link to an environment. uvx runs the one it has, so several versions there do not say which; then none is
 * found.
 */
async function cachedByUv(
  {
    name,
    program,
    version,
  }: { readonly name: string; readonly program: string; readonly version: string | undefined },
  { env, home, files }: PackageContext,
): Promise<string | undefined> {
  const cache = uvCacheOf({ env, home })
  const found = new Map<string, string>()
  for (const bucket of await files.list(cache)) {
    if (!bucket.startsWith('environments-v')) continue
    for (const interpreter of await files.list(join(cache, bucket))) {
      for (const each of await files.list(join(cache, bucket, interpreter))) {
        const folder = join(cache, bucket, interpreter, each)
        if (!(await files.stat(join(folder, 'bin', program)))) continue
        for (const installed of await installedVersions(folder, name, files)) found.set(installed, folder)
      }
    }
  }
  const chosen = version === undefined && found.size === 1 ? [...found.values()][0] : found.get(version ?? '')
  return chosen === undefined ? undefined : files.realPath(chosen)
}

function uvCacheOf({ env, home }: Pick<PackageContext, 'env' | 'home'>): string {
  return env['UV_CACHE_DIR'] ?? join(env['XDG_CACHE_HOME'] ?? join(home, '.cache'), 'uv')
}

/** The versions of a package in an environment, by the names of the folders that installers leave beside it. */
async function installedVersions(
  folder: string,
  name: string,
  files: PackageContext['files'],
): Promise<readonly string[]> {
  const found = new Set<string>()
  for (const python of await files.list(join(folder, 'lib'))) {
    for (const each of await files.list(join(folder, 'lib', python, 'site-packages'))) {
      const [, owner = '', version] = /^([^-]+)-(.+)\.dist-info$/i.exec(each) ?? []
      if (version !== undefined && normal(owner) === normal(name)) found.add(version.toLowerCase())
    }
  }
  return [...found]
}

/** Python tells packages apart without case and kind of separator. */
function normal(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-')
}

async function readJson(path: string, files: PackageContext['files']) {
  const found = await files.readText(path)
  if (found.kind !== 'text') return undefined
  try {
    const value: unknown = JSON.parse(found.text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
