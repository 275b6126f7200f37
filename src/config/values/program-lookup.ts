import { isAbsolute, join, resolve } from 'node:path'
import { HostError } from '../../model/error.ts'
import { nextCommand } from '../../model/next-command.ts'
import { reveal } from '../../model/resolved.ts'
import type { ResolvedTransport, ResolvedValue } from '../../model/resolved.ts'
import type { Server } from '../../model/server.ts'
import { findProject, isInProject } from '../../sources/project-folder.ts'
import type { ProjectFolder } from '../../sources/project-folder.ts'
import { stateDirectory } from '../own-directories.ts'
import type { ResolveContext } from './resolve-context.ts'
import { nestedStarts } from './nested-starts.ts'
import { isAllowedHere, projectProgramsInput } from './project-programs.ts'
import { nameOf, operandOf, ownWords, textWrappers, unwrap } from './runner-words.ts'
import type { ProgramWords } from './runner-words.ts'
import {
  buildFiles,
  buildInText,
  changesFolder,
  enterText,
  nodeCode,
  nodeLoaders,
  projectInText,
  runners,
  shells,
  shellText,
} from './runners.ts'
import type { Means, Runner } from './runners.ts'

type Stdio = ResolvedTransport & { readonly kind: 'stdio' }

/** One start: the words of the command line from the runner on, and where they begin. */
interface Start extends ProgramWords {
  readonly server: Server
  readonly transport: Stdio
  readonly context: ResolveContext
  readonly project: ProjectFolder
  readonly cwd: string
}

/**
 * T51: changes how a person's own or a managed server is started inside a project, so that its program is not looked up
 * there, or refuses the start. The working directory of the program stays the same.
 */
export async function lookUpOutside(
  server: Server,
  transport: Stdio,
  context: ResolveContext,
): Promise<Stdio> {
  const { world, platform } = context
  const cwd = transport.cwd === undefined ? world.cwd : resolve(world.cwd, reveal(transport.cwd))
  const project = await findProject({ cwd: world.cwd, home: world.home, files: platform.files })
  if (!(await isInProject(cwd, project, platform.files))) return transport
  const words = unwrap({
    program: reveal(transport.command),
    args: transport.args.map(reveal),
    offset: 0,
  })
  // From the last start on: words that are inserted leave the places of those before them as they are.
  let changed = transport
  for (const each of [words, ...nestedStarts(words)].reverse())
    changed = await startOutside({ server, transport: changed, context, project, cwd, ...each })
  return changed
}

async function startOutside(start: Start): Promise<Stdio> {
  const { transport } = start
  await refuseRelative(start, start.program)
  const name = nameOf(start.program)
  // `env -S` and `cmd /c` take a whole command line as one word, and so do options such as `flock -c`.
  if (shells.test(name) || /\s/.test(start.program) || textWrappers.test(name)) await refuseText(start)
  if (name === 'find') await checkFind(start)
  if (/^node(?:js)?$/.test(name)) refuseModules(start)
  if (name === 'uvx') await refusePackages(start, start.args)
  if (name === 'uv' && start.args.includes('tool'))
    await refusePackages(start, start.args.slice(start.args.indexOf('tool') + 1))
  const row = runners.find((each) => matches(each, name, start.args))
  if (!row) return transport
  if (await worksElsewhere(row, start)) return { ...transport, env: { ...transport.env, ...row.env } }
  if (row.means.kind === 'changed') return change(row.means, row, start)
  if (row.means.kind === 'asked') await ask(row.means, start)
  else await refuse(start, row.means)
  return transport
}

/** T130: a build program or `find -exec {}` may be what a person wants here; its words do not say what it runs. */
async function ask({ why, uses }: Omit<Means & { kind: 'asked' }, 'kind'>, start: Start): Promise<void> {
  const { server, project, context } = start
  if (uses.length > 0 && !(await hasAny(uses, start))) return
  const sentence = `${nameOf(start.program)} ${why}`
  if (await isAllowedHere({ server, project, sentence }, context)) return
  throw refusal(
    server,
    sentence,
    `write the command that is to run, or allow it for this project with the input "${projectProgramsInput}" (yes)`,
  )
}

/** T130: the program after `-exec` is a start like any other; one with `{}` is whatever the search finds. */
async function checkFind(start: Start): Promise<void> {
  for (const [index, word] of start.args.entries()) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(word)) continue
    const program = start.args[index + 1] ?? ''
    if (program.includes('{}')) await ask({ why: 'runs the programs that it finds', uses: [] }, start)
    else await refuseRelative(start, program)
  }
}

function matches({ program, verb, script, option }: Runner, name: string, args: readonly string[]): boolean {
  if (!program.test(name)) return false
  if (verb && !args.some((each, index) => verb.test(each) && isVerb(args, index))) return false
  if (script && !script.test(args.find((each) => !each.startsWith('-') && each !== 'run') ?? '')) return false
  if (!option) return true
  const options = /^uv|^bun/.test(name) ? args : ownWords(name, args)
  return options.some((each) => option.test(each.split('=', 1)[0] ?? each))
}

/** The first word that is neither an option nor possibly the value of one. */
function isVerb(args: readonly string[], index: number): boolean {
  return args
    .slice(0, index)
    .every((each, before) => each.startsWith('-') || (args[before - 1] ?? '').startsWith('-'))
}

/** Whether an option makes the runner work in a folder outside the project. */
async function worksElsewhere({ folder }: Runner, start: Start): Promise<boolean> {
  if (!folder) return false
  const { cwd, project, context } = start
  const args = ownWords(nameOf(start.program), start.args)
  const at = args.findIndex((each) => folder.test(each.split('=', 1)[0] ?? each))
  const option = args[at]
  if (option === undefined) return false
  const named = option.includes('=') ? option.slice(option.indexOf('=') + 1) : (args[at + 1] ?? '.')
  return !(await isInProject(resolve(cwd, named), project, context.platform.files))
}

async function change(means: Means & { kind: 'changed' }, row: Runner, start: Start): Promise<Stdio> {
  const { transport, context, cwd, args, offset } = start
  const own = means.runsPackage ? await checkPackage(start, row) : undefined
  if (means.prefersFiles) await refuseNamesake(start)
  if (means.probe) await refuseOld(means.probe, start)
  const empty = await makeEmptyFolder(context)
  const fill = (text: string) => text.replace('{empty}', empty).replace('{cwd}', cwd)
  const verb = args.findIndex((each, index) => row.verb?.test(each) && isVerb(args, index)) + 1
  const words: readonly ResolvedValue[] = transport.args.slice(offset)
  const isWindows = context.world.os === 'win32'
  // Windows has no shell to return with; the option at least keeps the project's packages out.
  const before = means.startsEmpty && isWindows ? ['--prefix', '{empty}'] : (means.before ?? [])
  const entered = means.startsEmpty && !isWindows ? start.entered : undefined
  const env = means.startsEmpty && (isWindows || entered !== undefined) ? {} : (means.env ?? {})
  const outer = transport.args.slice(0, offset)
  return {
    ...transport,
    args: [
      ...outer.slice(0, entered),
      ...(entered === undefined ? [] : [join(empty, 'enter'), ...outer.slice(entered)]),
      ...before.map(fill),
      ...words.slice(0, verb),
      ...(means.afterVerb ?? []).map(fill),
      ...words.slice(verb),
    ],
    env: {
      ...transport.env,
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, fill(value)])),
    },
    ...(means.startsEmpty && !isWindows && entered === undefined && { cwd: empty }),
    ...(own !== undefined && { note: own }),
  }
}

/** Refuses a package that is a folder of the project. A package that the project has installed is explained if the start fails. */
async function checkPackage(start: Start, { verb }: Runner): Promise<string | undefined> {
  const { args, cwd, server, project, context } = start
  const words = args.slice(verb ? args.findIndex((each) => verb.test(each)) + 1 : 0)
  const named = words.flatMap((each, index) => {
    if (/^(?:-p|--package)$/.test(each)) return words[index + 1] ?? []
    return each.startsWith('--package=') ? each.slice(each.indexOf('=') + 1) : []
  })
  const operand = words.find(
    (each, index) => !each.startsWith('-') && !/^(?:-p|--package|-c|--call)$/.test(words[index - 1] ?? ''),
  )
  const packages = [...named, ...(operand === undefined ? [] : [operand])]
  for (const each of packages) {
    const isOnGitHub = /^[^@.~/\\][^/\\]*\/[^/\\]+$/.test(each)
    if (!isOnGitHub) await refuseRelative(start, each.replace(/^file:/, ''))
  }
  const name = packages[0]?.replace(/(?<=.)@.*$/, '')
  if (name === undefined) return undefined
  for (const folder of foldersUp(cwd, project)) {
    for (const path of [join(folder, 'node_modules', name), join(folder, 'node_modules/.bin', name)]) {
      if (!(await context.platform.files.stat(path))) continue
      return (
        `"${name}" is also installed in ${folder}, where a server of yours does not look for programs. To use that one, ` +
        `declare "${server.name}" in the project’s own file, or write its full path into the entry.`
      )
    }
  }
  return undefined
}

/** The packages of `uvx`: a folder of the project would be built and run. */
async function refusePackages(start: Start, args: readonly string[]): Promise<void> {
  const own = ownWords('uvx', args)
  const packages = own.flatMap((each, index) => {
    const [option = '', inline] = each.split('=', 2)
    return /^--(?:from|with|with-editable)$/.test(option) ? (inline ?? own[index + 1] ?? []) : []
  })
  for (const each of [...packages, operandOf('uvx', args) ?? '']) await refuseRelative(start, each)
}

/** A name, not a path: that names a file of the working directory by itself. */
async function refuseNamesake(start: Start): Promise<void> {
  const { cwd, context, program, args } = start
  const operand = operandOf(nameOf(program), args)
  if (operand === undefined || /[\\/]|\.pyw?$/i.test(operand)) return
  if (!(await context.platform.files.stat(join(cwd, operand)))) return
  throw refusal(start.server, `${nameOf(program)} would run the project’s "${operand}"`, fullPathHint)
}

async function refuseOld(
  { args, prints, needs }: NonNullable<(Means & { kind: 'changed' })['probe']>,
  start: Start,
): Promise<void> {
  const { context, transport, program, offset } = start
  if (offset > 0) return
  const env = Object.fromEntries(Object.entries(transport.env).map(([name, value]) => [name, reveal(value)]))
  // Started outside the project: a probe must not load anything from it either.
  const result = await context.platform.run([program, ...args], {
    cwd: context.world.home,
    env,
    timeoutMs: 10_000,
    maxBytes: 64 * 1024,
  })
  const isNew = result.kind === 'done' ? !prints || prints.test(result.stdout) : result.reason === 'not-found'
  if (isNew) return
  await refuse(start, {
    kind: 'refused',
    why: `runs code of the project, unless it is ${needs}`,
    write: `the full path of ${needs}`,
  })
}

/** T51: a relative command names whatever the project has at that path. A scope that is bound to one folder may use it. */
async function refuseRelative(start: Start, command: string): Promise<void> {
  const { server, cwd, project, context } = start
  const isPath = /^\.{1,2}$|[\\/]/.test(command) && !/^@[^\\/]+[\\/][^\\/]+$|^[a-z][a-z+.-]*:/i.test(command)
  if (!isPath || isAbsolute(command) || server.origin.scope === 'local') return
  if (!(await isInProject(resolve(cwd, command), project, context.platform.files))) return
  throw refusal(server, `${command} would be a program of the project`, fullPathHint)
}

/** T51: refuses a text that would find programs of the project, unless it first changes to a folder outside of it. */
async function refuseText(start: Start): Promise<void> {
  const { program, args, project, context } = start
  // Of other wrappers only a word that is a whole line is a text; their other words are starts by themselves.
  const isShell = shells.test(nameOf(program)) || /\s/.test(program)
  const texts = isShell ? [program, ...args] : args.filter((each) => /\s/.test(each))
  const text = texts.find((each) => projectInText.test(each) || buildInText.test(each))
  if (text === undefined) return
  const folder = changesFolder.exec(text)?.[2]
  if (folder !== undefined && !(await isInProject(folder, project, context.platform.files))) return
  if (!texts.some((each) => projectInText.test(each)))
    return ask({ why: 'runs what a file of the project says', uses: buildFiles }, start)
  await refuse(start, {
    kind: 'refused',
    why: 'may run programs of the project by what its text calls',
    write: 'the command of that text itself, without a shell',
  })
}

/** T51: refuses options of Node.js that load modules, scripts or `NODE_OPTIONS` from the working directory. */
function refuseModules({ server, args }: Start): void {
  const own = nodeOptions(args)
  for (const [index, each] of args.entries()) {
    const [word = '', inline] = each.split(/=(.*)/s, 2)
    // Node.js reads `_` in the name of an option as `-`.
    const option = word.startsWith('--') ? word.replaceAll('_', '-') : word
    const value = inline ?? args[index + 1] ?? ''
    // Node.js 20 reads this option even after its script.
    if (/^--env-file(?:-if-exists)?$/.test(option) && !isAbsolute(value))
      throw refusal(
        server,
        `node would take NODE_OPTIONS from the project’s ${value}`,
        `write "envFile": "${value}" instead of the option`,
      )
    if (index >= own.length) continue
    if (option === '--run') throw refusal(server, 'node would run a script of the project', fullPathHint)
    const modules = nodeLoaders.test(option) ? [value] : nodeCode.test(option) ? modulesIn(value) : []
    const module = modules.find((name) => !isAbsolute(name) && !/^(?:file|node|data):/.test(name))
    if (module === undefined) continue
    throw refusal(
      server,
      `node would load "${module}" from the project`,
      `write the full path of "${module}"`,
    )
  }
}

/** The modules that a code loads, without those of Node.js. */
function modulesIn(code: string): readonly string[] {
  const { isBuiltin } = process.getBuiltinModule('node:module')
  const found = [...code.matchAll(/\b(?:require|import|from)\s*\(?\s*["'`]([^"'`]+)/g)]
  return found.flatMap(([, name = '']) => (isBuiltin(name) ? [] : [name]))
}

/**
 * The options of Node.js before its script, with their values. A word after an option may be its value or the script: it
 * counts as the script only if it looks like one.
 */
function nodeOptions(args: readonly string[]): readonly string[] {
  const end = args.findIndex((each, index) => {
    if (each.startsWith('-')) return false
    const before = args[index - 1] ?? ''
    if (!before.startsWith('-') || before.includes('=')) return true
    return /\.[cm]?[jt]sx?$/.test(each) && !nodeLoaders.test(before.replaceAll('_', '-'))
  })
  return end < 0 ? args : args.slice(0, end)
}

async function refuse(start: Start, { why, write, uses }: Means & { kind: 'refused' }): Promise<void> {
  if (uses && !(await hasAny(uses, start))) return
  throw refusal(start.server, `${nameOf(start.program)} ${why}`, `write ${write}`)
}

/** Whether the project has something of these names in the working directory or above it. */
async function hasAny(names: readonly string[], start: Start): Promise<boolean> {
  const { cwd, project, context, program, args } = start
  const operand = operandOf(nameOf(program), args)
  const wanted = names.flatMap((name) => (name === '{operand}' ? (operand ?? []) : name))
  for (const folder of foldersUp(cwd, project))
    for (const name of wanted) if (await context.platform.files.stat(join(folder, name))) return true
  return false
}

function foldersUp(cwd: string, { roots, parents }: ProjectFolder): readonly string[] {
  const found: string[] = []
  const top = [...roots, ...parents].reduce((a, b) => (b.length < a.length ? b : a), cwd)
  for (let dir = cwd; dir.length >= top.length && resolve(dir, '..') !== dir; dir = resolve(dir, '..'))
    found.push(dir)
  return found
}

const fullPathHint = 'write the full path of the program'

function refusal(server: Server, why: string, write: string): HostError<'config.invalid'> {
  const { name, origin } = server
  const message = `"${name}" is not started in this project: ${why}, and a server of yours runs none of the project’s programs.`
  return new HostError('config.invalid', { server: name, file: origin.file }, message, {
    hint: `In its entry, ${write}; or declare it in the project’s own file and trust it there: ${nextCommand('why', name)}`,
  })
}

/** Our own empty folder, with the files that replace the project's. Written once. */
async function makeEmptyFolder({ platform, world }: ResolveContext): Promise<string> {
  const { files } = platform
  const folder = join(stateDirectory(world), 'empty')
  const texts = { shell: shellText, enter: enterText, 'bunfig.toml': '', env: '' }
  for (const [name, text] of Object.entries(texts)) {
    const path = join(folder, name)
    const found = await files.readText(path)
    if (found.kind === 'text' && found.text === text) continue
    await files.makePrivateDirectory(folder)
    await files.replace(path, text, { mode: 0o700 })
  }
  return folder
}
