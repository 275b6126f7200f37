import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { HostError } from '../../model/error.ts'
import { nextCommand } from '../../model/next-command.ts'
import { Secret } from '../../model/secret.ts'
import { reveal, revealAll } from '../../model/resolved.ts'
import type { ResolvedTransport } from '../../model/resolved.ts'
import type {
  BwrapRunner,
  ContainerRunner,
  Runner,
  RunnerTemplate,
  TemplateRunner,
} from '../../model/runner/runner.ts'
import type { Server } from '../../model/server.ts'
import type { Env, Platform } from '../../platform/platform.ts'
import { boxFolders, installationOf, isWithin, ownWithin, refusal, withPinned } from './box-folders.ts'
import type { BoxFolder, FolderContext } from './box-folders.ts'
import { bwrapArguments } from './bwrap-arguments.ts'
import type { SystemFolder } from './bwrap-arguments.ts'
import { containerArguments, envFileText } from './container-arguments.ts'
import { installedPackage } from './installed-package.ts'
import { templateArguments } from './template-arguments.ts'

type Stdio = ResolvedTransport & { readonly kind: 'stdio' }

export interface BoxContext {
  readonly platform: Pick<Platform, 'os' | 'home' | 'cwd' | 'env' | 'files' | 'uid'>
  /** The person's variables that a program outside of the box gets: never those of the entry. */
  readonly outside: Readonly<Record<string, string>>
  /** Our own folders. */
  readonly own: readonly string[]
  /** Whether a variable decides what programs load or run. */
  readonly isLoader: (name: string) => boolean
  /** The path of a folder for the files of a container; the start makes it. */
  readonly newFolder: () => string
}

/** What a start in a box needs to know. */
interface Start extends BoxContext {
  readonly server: Pick<Server, 'name' | 'folder'>
  readonly transport: Stdio
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
}

/**
 * Wraps the command of a server in its runner. Fails if the runner is not installed or the box cannot be made: a server
 * that asks for a box is never started without it.
 */
export async function boxTransport(
  server: Pick<Server, 'name' | 'folder'>,
  runner: Runner,
  transport: Stdio,
  context: BoxContext,
): Promise<Stdio> {
  const env = revealAll(transport.env)
  refuseBadVariables(server.name, env)
  const { platform } = context
  const cwd = transport.cwd === undefined ? platform.cwd : resolve(platform.cwd, reveal(transport.cwd))
  const command = reveal(transport.command)
  const args = transport.args.map(reveal)
  const start: Start = { ...context, server, transport, command, args, env, cwd }
  if (runner.kind === 'template') return inTemplate(runner, start)
  return runner.kind === 'bwrap' ? inBwrap(runner, start) : inContainer(runner, start)
}

/** T04: a NUL would end a variable and begin an option of the runner. */
function refuseBadVariables(server: string, env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env))
    if (name === '' || /[=\0\r\n]/.test(name) || value.includes('\0'))
      throw refusal(server, `cannot have the variable ${JSON.stringify(name)}`)
}

async function inBwrap(runner: BwrapRunner, given: Start): Promise<Stdio> {
  const { platform, outside, own, server } = given
  if (platform.os !== 'linux')
    throw unavailable(
      server.name,
      'bwrap',
      'bwrap exists on Linux only',
      'Use podman or docker in "runner" of its entry.',
    )
  await findRunner('bwrap', given)
  const { start, read } = await withPackage(given)
  const { env, cwd } = start
  const home = privateHome(platform.home)
  const opened = [...(await boxFolders(runner, folderContext(start))), ...(await packageFolders(read, start))]
  const hidden = ownWithin(opened, own)
  const folders = withPinned(opened, hidden)
  const system = await systemFolders(platform.files)
  await checkProgram(start, [...system.map(({ path }) => path), ...folders.map(({ path }) => path)])
  const { XDG_RUNTIME_DIR: _runtime, ...kept } = env
  const { args, handed } = bwrapArguments({
    system,
    home,
    folders,
    hidden,
    network: runner.network,
    cwd,
    env: { ...kept, HOME: kept['HOME'] === platform.home ? home : (kept['HOME'] ?? home), TMPDIR: '/tmp' },
  })
  return {
    ...start.transport,
    command: 'bwrap',
    args: [...args, '--', start.command, ...start.args],
    // Only what bwrap itself needs: with the entry's variables it could be made to load code outside of the box.
    env: { PATH: outside['PATH'] ?? '' },
    cwd: '/',
    handed,
    note: noteFor(server.name),
  }
}

async function inContainer(runner: ContainerRunner, start: Start): Promise<Stdio> {
  const { platform, outside, own, server, transport, env } = start
  const { kind, image } = runner
  await findRunner(kind, start)
  const opened = await boxFolders(runner, folderContext(start))
  const hidden = ownWithin(opened, own)
  const folders = withPinned(opened, hidden)
  // eslint-disable-next-line no-control-regex -- the pattern must match control characters
  const odd = folders.find(({ path, source }) => /[,"\u0000-\u001f]/.test(path + source))
  if (odd) throw refusal(server.name, `cannot open ${odd.path}: ${kind} takes no "," or quote in a path`)
  const { text, unfit } = envFileText({ ...ownVariables(env, outside), HOME: '/tmp', TMPDIR: '/tmp' })
  if (unfit !== undefined)
    throw refusal(server.name, `cannot have the variable ${unfit}: ${kind} takes variables of one line only`)
  const folder = start.newFolder()
  const [envFile, cidFile] = [join(folder, 'env'), join(folder, 'cid')]
  const isVisible = folders.some(({ path }) => isWithin(start.cwd, path))
  const args = containerArguments(runner, {
    folders,
    hidden,
    ...(isVisible && { cwd: start.cwd }),
    envFile,
    cidFile,
    uid: platform.uid,
  })
  return {
    ...transport,
    command: kind,
    args: [...args, start.command, ...start.args],
    env: outside,
    cwd: '/',
    container: {
      engine: kind,
      options: runner.options?.engine ?? [],
      env: outside,
      folder,
      cidFile,
      envFile,
      variables: new Secret(text),
      ...(runner.memory !== undefined && { memory: runner.memory }),
    },
    note: `${noteFor(server.name)} Its image must be on this machine: ${kind} pull ${image}`,
  }
}

/** The variables of the entry. Those of this machine, such as PATH and HOME, mean nothing in an image. */
function ownVariables(env: Readonly<Record<string, string>>, outside: Env): Readonly<Record<string, string>> {
  const isOfMachine = (name: string) => !/^(?:LANG|LC_\w+|TZ|TERM)$/.test(name) && outside[name] === env[name]
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOfMachine(name)))
}

async function inTemplate({ name, template }: TemplateRunner, start: Start): Promise<Stdio> {
  const { server, transport, outside, env, command, args, cwd } = start
  // The name of the rule is no name of a runner: a rule that cannot be read is passed on as one (D-20).
  if (!template && name === 'project')
    throw unavailable(
      server.name,
      name,
      'your rule for servers of projects cannot be read',
      'Mend "runners.project" in your settings: plugboard doctor --no-start',
    )
  if (!template)
    throw unavailable(
      server.name,
      name,
      `your settings have no runner "${name}"`,
      'Add it to "runners" in your settings, or change "runner" in the entry.',
    )
  const passed = template.env === 'process' ? env : {}
  // In the runner itself it would act outside of the box.
  const loader = Object.keys(passed).find((each) => start.isLoader(each) && outside[each] !== passed[each])
  if (loader !== undefined)
    throw refusal(server.name, `cannot have the variable ${loader}, which would act on its runner too`)
  refuseTemplateWords(start, template)
  const argv = templateArguments(template, { server: server.name, cwd, command: [command, ...args] })
  const [program = '', ...rest] = argv
  await findRunner(program, start)
  return {
    ...transport,
    command: program,
    args: rest,
    env: { ...passed, ...outside },
    cwd: '/',
    note: noteFor(server.name),
  }
}

/** T04: the command and the folder come from the entry; among the words of the runner they must stay what they are. */
function refuseTemplateWords({ server, command, cwd }: Start, { argv }: RunnerTemplate): void {
  if (/^-|^[^/]*=/.test(command))
    throw refusal(server.name, `cannot have the command ${command}: its runner could read it as an option`)
  const isPart = argv.some((word) => word.includes('{cwd}') && word !== '{cwd}')
  // eslint-disable-next-line no-control-regex -- the pattern must match control characters
  if (isPart && /[:,;="\u0000-\u001f]/.test(cwd))
    throw refusal(server.name, `cannot run in ${cwd}: the argv of its runner has the folder inside of a word`)
}

function noteFor(server: string): string {
  return `It runs in a box and sees only what that opens: ${nextCommand('why', server)}.`
}

const installs: Readonly<Record<string, string>> = {
  bwrap: 'Install it, for example: sudo apt install bubblewrap (or: sudo dnf install bubblewrap)',
  podman: 'Install it, for example: sudo apt install podman (or: sudo dnf install podman)',
  docker: 'Install it: https://docs.docker.com/engine/install/',
}

/** Looks a runner up in the person's `PATH`. */
async function findRunner(program: string, { server, platform, outside }: Start): Promise<void> {
  if (await isFound(program, outside, platform)) return
  const hint = installs[program] ?? 'Install it, or write its full path in your settings.'
  throw unavailable(server.name, program, `its runner ${program} is not installed`, hint)
}

async function isFound(
  program: string,
  outside: Env,
  { files, os }: Pick<Platform, 'files' | 'os'>,
): Promise<boolean> {
  if (isAbsolute(program)) return (await files.stat(program)) !== undefined
  // Windows adds extensions: the start itself finds out.
  if (os === 'win32') return true
  for (const folder of (outside['PATH'] ?? '').split(delimiter))
    if (isAbsolute(folder) && (await files.stat(join(folder, program)))?.kind === 'file') return true
  return false
}

function unavailable(
  server: string,
  runner: string,
  why: string,
  hint: string,
): HostError<'runner.unavailable'> {
  return new HostError('runner.unavailable', { server, runner }, `"${server}" is not started: ${why}.`, {
    hint,
  })
}

function folderContext({ server, cwd, platform, own }: Start): FolderContext {
  return { server: server.name, folder: server.folder, cwd, home: platform.home, files: platform.files, own }
}

/** Starts the program of a fetched package directly. Its folders come from the person's environment, not from the entry's. */
async function withPackage(
  start: Start,
): Promise<{ readonly start: Start; readonly read: readonly string[] }> {
  const { platform, server, command, args, env } = start
  const { files, home } = platform
  const found = await installedPackage(command, args, { env: platform.env, home, files })
  if (!found) return { start, read: [] }
  if ('missing' in found) {
    const hint =
      found.fetch === undefined
        ? `Write the command of the package itself into its entry: ${nextCommand('why', server.name)}`
        : `Fetch it outside of the box: ${found.fetch}`
    throw refusal(
      server.name,
      `has no network for packages, and ${found.missing} was not fetched before`,
      hint,
    )
  }
  // Set where `npx` runs in an empty folder, so that it takes nothing from the project (T51).
  const { PLUGBOARD_CWD: cwd = start.cwd, npm_config_script_shell: _shell, ...rest } = env
  return { start: { ...start, command: found.command, args: found.args, env: rest, cwd }, read: found.read }
}

/** The folders of a fetched package. An interpreter in `~/bin` or `/bin` must not open the home folder or everything. */
async function packageFolders(
  paths: readonly string[],
  { platform, server }: Start,
): Promise<readonly BoxFolder[]> {
  const home = await platform.files.realPath(platform.home).catch(() => platform.home)
  return Promise.all(
    paths.map(async (path) => {
      const source = await platform.files.realPath(path)
      if ([platform.home, home].some((each) => isWithin(each, path) || isWithin(each, source)))
        throw refusal(server.name, `would have to open ${path} for the interpreter of its package`)
      return { path, source, isWritable: false }
    }),
  )
}

/** A home folder at `/` cannot be replaced without replacing everything. */
function privateHome(home: string): string {
  return /^\/(?:usr(?:\/.*)?)?$/.test(home) ? '/home/box' : home
}

const systemPaths = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store']

async function systemFolders(files: BoxContext['platform']['files']): Promise<readonly SystemFolder[]> {
  const found: SystemFolder[] = []
  for (const path of systemPaths) {
    if (!(await files.stat(path))) continue
    const real = await files.realPath(path)
    found.push(real === path ? { path } : { path, linksTo: real })
  }
  return found
}

/** A program that exists, but not in the box, gets a sentence that names the folder to open. */
async function checkProgram(
  { command, env, cwd, server, platform }: Start,
  visible: readonly string[],
): Promise<void> {
  const { files } = platform
  const places = command.includes('/')
    ? [resolve(cwd, command)]
    : (env['PATH'] ?? '')
        .split(delimiter)
        .filter(isAbsolute)
        .map((folder) => join(folder, command))
  const outside: string[] = []
  for (const place of places) {
    if (!(await files.stat(place))) continue
    const real = await files.realPath(place)
    if ([place, real].every((path) => visible.some((folder) => isWithin(path, folder)))) return
    outside.push(real)
  }
  const [program] = outside
  if (program === undefined) return
  throw refusal(
    server.name,
    `does not have its program ${program}`,
    `Open the folder of the program to it: "read": ["${installationOf(program)}"] in "runner" of its entry.`,
  )
}
