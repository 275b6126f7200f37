import type { ContainerRunner } from '../../model/runner/runner.ts'
import type { BoxFolder } from './box-folders.ts'

export interface ContainerBox {
  readonly folders: readonly BoxFolder[]
  readonly hidden: readonly string[]
  /** Absent: the folder of the image. */
  readonly cwd?: string
  /** Names the variables, one `NAME=value` a line. */
  readonly envFile: string
  /** The engine writes the id of the container to it, so that the container can be ended without its client. */
  readonly cidFile: string
  /** Of this process; absent on Windows. */
  readonly uid?: number | undefined
}

/** The arguments of podman and docker up to the command. Options of the person's settings come last, so that they win. */
export function containerArguments(runner: ContainerRunner, box: ContainerBox): readonly string[] {
  const { kind, image, network, memory, cpus, pids, options } = runner
  const { folders, hidden, cwd, envFile, cidFile, uid } = box
  return [
    ...(options?.engine ?? []),
    'run',
    '--interactive',
    '--rm',
    // As the first process of the container, a program without a handler ignores SIGTERM; this init does not.
    '--init',
    '--cidfile',
    cidFile,
    // An image is code like a package: it is fetched by a person, not by a start.
    '--pull=never',
    // Otherwise the engine keeps everything that the server says.
    '--log-driver=none',
    '--read-only',
    '--tmpfs',
    '/tmp',
    '--cap-drop',
    'ALL',
    '--security-opt',
    'no-new-privileges',
    ...userOf(kind, uid),
    ...(network ? [] : ['--network', 'none']),
    ...(memory === undefined ? [] : ['--memory', memory]),
    ...(cpus === undefined ? [] : ['--cpus', String(cpus)]),
    ...(pids === undefined ? [] : ['--pids-limit', String(pids)]),
    ...folders.flatMap(({ path, source, isWritable }) => [
      '--mount',
      `type=bind,source=${source},target=${path}${isWritable ? '' : ',readonly'}`,
    ]),
    ...hidden.flatMap((path) => ['--tmpfs', path]),
    ...(cwd === undefined ? [] : ['--workdir', cwd]),
    '--env-file',
    envFile,
    ...(options?.run ?? []),
    image,
  ]
}

/** Without capabilities, root in a container cannot open files of another user: it runs as the person. */
function userOf(kind: ContainerRunner['kind'], uid: number | undefined): readonly string[] {
  if (uid === undefined || uid === 0) return []
  return kind === 'podman' ? ['--userns', 'keep-id'] : ['--user', String(uid)]
}

/** The lines of an env file; the first name whose value it cannot have is in `unfit`. */
export function envFileText(env: Readonly<Record<string, string>>): {
  readonly text: string
  readonly unfit?: string
} {
  const unfit = Object.keys(env).find(
    (name) => /[\r\n]/.test(env[name] ?? '') || !/^[^\s#=][^\s=]*$/.test(name),
  )
  const text = Object.entries(env)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
  return { text, ...(unfit !== undefined && { unfit }) }
}
