import type { Server } from '../server.ts'
import { launchedPrograms } from './launched-programs.ts'

/** A package or image that a runner fetches and starts. */
export interface StartedPackage {
  readonly runner: string
  /** As written. */
  readonly spec: string
  readonly name: string
  /** The exact version or digest; absent if another one may run tomorrow. */
  readonly version?: string
  readonly isImage: boolean
  readonly index: number
}

/** Flags whose value is the next argument. */
const npmFlags = new Set(['--registry', '--cache', '--prefix', '-w', '--workspace', '--userconfig'])
const uvFlags = new Set([
  '--python',
  '-p',
  '--with',
  '--index',
  '--index-url',
  '--extra-index-url',
  '--refresh-package',
])
const imageFlags =
  /^(?:-[epvwulhm]|--(?:env|env-file|publish|volume|mount|workdir|user|name|network|net|label|hostname|add-host|memory|cpus|cpu-shares|pids-limit|cap-add|cap-drop|security-opt|device|entrypoint|platform|pull|tmpfs|ulimit|restart|gpus|dns|runtime|ipc|pid|userns|log-driver|shm-size))$/

/** The package of `npx`, `uvx`, `docker run` and their like; nothing for a program that is installed. */
export function startedPackage(server: Pick<Server, 'transport'>): StartedPackage | undefined {
  for (const { name, args, offset } of launchedPrograms(server)) {
    const found = packageOf(name, args)
    if (found) return { ...found, index: found.index + offset }
  }
  return undefined
}

function packageOf(runner: string, args: readonly string[]): StartedPackage | undefined {
  switch (runner) {
    case 'npx':
    case 'bunx':
    case 'pnpx':
      return npmPackage(runner, args, 0)
    case 'npm':
      return /^(?:exec|x)$/.test(args[0] ?? '') ? npmPackage('npm exec', args, 1) : undefined
    case 'pnpm':
    case 'yarn':
      return args[0] === 'dlx' ? npmPackage(`${runner} dlx`, args, 1) : undefined
    case 'bun':
      return args[0] === 'x' ? npmPackage('bun x', args, 1) : undefined
    case 'uvx':
      return pythonPackage(runner, args, 0)
    case 'uv':
      return args[0] === 'tool' && args[1] === 'run' ? pythonPackage('uv tool run', args, 2) : undefined
    case 'pipx':
      return args[0] === 'run' ? pythonPackage('pipx run', args, 1) : undefined
    case 'docker':
    case 'podman':
    case 'nerdctl':
      return image(runner, args)
    default:
      return undefined
  }
}

function npmPackage(runner: string, args: readonly string[], from: number): StartedPackage | undefined {
  const found = target(args, from, ['-p', '--package'], (arg) => npmFlags.has(arg))
  if (!found) return undefined
  const { spec, index } = found
  const at = spec.indexOf('@', 1)
  const name = at < 0 ? spec : spec.slice(0, at)
  const version = at < 0 ? '' : spec.slice(at + 1)
  const isExact = /^\d+\.\d+\.\d+(?:[-+][\w.+-]+)?$/.test(version) || /#[0-9a-f]{40}$/.test(spec)
  return { runner, spec, name, ...(isExact && { version }), isImage: false, index }
}

function pythonPackage(runner: string, args: readonly string[], from: number): StartedPackage | undefined {
  const found = target(args, from, ['--from', '--spec'], (arg) => uvFlags.has(arg))
  if (!found) return undefined
  const { spec, index } = found
  const [, name = spec, version] =
    /^([\w.-]+)(?:\[[^\]]*\])?(?:==|@)(\d[\w.!+-]*)$/.exec(spec) ?? /^([\w.-]+)/.exec(spec) ?? []
  const commit = /^git\+.*@[0-9a-f]{40}(?:#.*)?$/.test(spec) ? 'commit' : undefined
  const exact = version ?? commit
  return { runner, spec, name, ...(exact !== undefined && { version: exact }), isImage: false, index }
}

function image(runner: string, args: readonly string[]): StartedPackage | undefined {
  const run = args.indexOf('run')
  if (run < 0) return undefined
  const found = target(args, run + 1, [], (arg) => imageFlags.test(arg))
  if (!found) return undefined
  const { spec, index } = found
  const [, name = spec, tag, digest] =
    /^(.+?)(?::([\w][\w.-]*))?(?:@(sha\d+:[0-9a-f]{32,}))?$/.exec(spec) ?? []
  const exact = digest ?? (tag !== undefined && /\d+\.\d+/.test(tag) ? tag : undefined)
  return { runner, spec, name, ...(exact !== undefined && { version: exact }), isImage: true, index }
}

/** The first argument that is no flag and no flag's value, unless a flag names the package. */
function target(
  args: readonly string[],
  from: number,
  naming: readonly string[],
  takesValue: (flag: string) => boolean,
): { readonly spec: string; readonly index: number } | undefined {
  for (let index = from; index < args.length; index++) {
    const arg = args[index] ?? ''
    const [flag = '', value] = arg.split(/=(.*)/s)
    if (naming.includes(flag)) {
      const spec = value ?? args[index + 1]
      return spec === undefined ? undefined : { spec, index: value === undefined ? index + 1 : index }
    }
    if (!arg.startsWith('-')) return { spec: arg, index }
    if (value === undefined && takesValue(arg)) index++
  }
  return undefined
}
