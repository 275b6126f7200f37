import { isObject, isStringArray } from '../json.ts'
import type { Json, JsonObject } from '../json.ts'

/** What a box opens of this machine. Folders are as written: `~/` is the home folder, others are relative to the server's folder. */
export interface BoxGrants {
  readonly read: readonly string[]
  readonly write: readonly string[]
  readonly network: boolean
}

export interface BwrapRunner extends BoxGrants {
  readonly kind: 'bwrap'
}

/** Limits of a container; absent means that the engine sets none. */
export interface ContainerLimits {
  /** Bytes, or with a unit: `512m`. */
  readonly memory?: string
  readonly cpus?: number
  readonly pids?: number
}

export interface ContainerRunner extends BoxGrants, ContainerLimits {
  readonly kind: 'podman' | 'docker'
  readonly image: string
  /** From the person's settings: what the engine needs on this machine. */
  readonly options?: EngineOptions
}

/** Arguments before `run`, and after it. */
export interface EngineOptions {
  readonly engine: readonly string[]
  readonly run: readonly string[]
}

/** An argv of the person's settings. An entry only names it. */
export interface TemplateRunner {
  readonly kind: 'template'
  readonly name: string
  /** Absent if the settings have no runner of this name. */
  readonly template?: RunnerTemplate
}

export interface RunnerTemplate {
  /** `{command}` stands for the command and its arguments. */
  readonly argv: readonly string[]
  /** `process`: the variables of the server are those of the runner too. */
  readonly env: 'none' | 'process'
}

/** What a local server runs in (D-20). */
export type Runner = BwrapRunner | ContainerRunner | TemplateRunner

export interface RunnerProblem {
  readonly problem: string
  /** The key inside of `runner`, if it is one of its keys. */
  readonly key?: string
}

const grantKeys = ['use', 'read', 'write', 'network']
const limitKeys = ['memory', 'cpus', 'pids']
const allowedKeys: Readonly<Record<Runner['kind'], readonly string[]>> = {
  bwrap: grantKeys,
  podman: [...grantKeys, 'image', ...limitKeys],
  docker: [...grantKeys, 'image', ...limitKeys],
  template: ['use'],
}

/** Reads the value of `runner`. What cannot be applied is a problem, because a box that is wider than it reads does not protect. */
export function readRunner(value: Json): Runner | RunnerProblem {
  const fields = typeof value === 'string' ? { use: value } : value
  if (!isObject(fields) || typeof fields['use'] !== 'string')
    return { problem: '"runner" must be the name of a runner, or an object with "use".' }
  const { use } = fields
  const kind = use === 'bwrap' || use === 'podman' || use === 'docker' ? use : 'template'
  const unknown = Object.keys(fields).find((key) => !allowedKeys[kind].includes(key))
  if (unknown !== undefined) return { problem: unknownKey(kind, use, unknown), key: unknown }
  if (kind === 'template') {
    return isRunnerName(use)
      ? { kind, name: use }
      : { problem: 'The name of a runner has letters, digits, "-" and "_".', key: 'use' }
  }
  const grants = readGrants(fields)
  if ('problem' in grants) return grants
  return kind === 'bwrap' ? { kind, ...grants } : readContainer(kind, fields, grants)
}

export function isRunnerName(name: string): boolean {
  return /^[A-Za-z0-9][\w-]{0,63}$/.test(name)
}

function unknownKey(kind: Runner['kind'], use: string, key: string): string {
  if (kind === 'bwrap' && limitKeys.includes(key))
    return `bwrap cannot limit "${key}"; podman and docker can.`
  if (kind === 'template')
    return `"${use}" is a runner of your settings, which decide what it allows: "${key}" cannot be set here.`
  return `"runner" of ${use} has no "${key}".`
}

function readGrants(fields: JsonObject): BoxGrants | RunnerProblem {
  const { network = false } = fields
  if (typeof network !== 'boolean') return { problem: '"network" must be true or false.', key: 'network' }
  const folders: Record<'read' | 'write', readonly string[]> = { read: [], write: [] }
  for (const key of ['read', 'write'] as const) {
    const list = fields[key] ?? []
    if (!isStringArray(list)) return { problem: `"${key}" must be a list of folders.`, key }
    const bad = list.map(folderProblem).find((problem) => problem !== undefined)
    if (bad !== undefined) return { problem: bad, key }
    folders[key] = list
  }
  return { ...folders, network }
}

function folderProblem(folder: string): string | undefined {
  // eslint-disable-next-line no-control-regex -- the pattern must match control characters
  if (folder === '' || /[\u0000-\u001f\u007f]/.test(folder)) return 'A folder must be a path.'
  if (/\$\{|^\{|^!/.test(folder)) return `Folders of a box have no placeholders: ${folder}`
  if (/^\/+$/.test(folder)) return 'The whole file system cannot be opened to a box.'
  if (isClosedFolder(folder)) return `${folder} cannot be opened to a box.`
  return undefined
}

/**
 * Folders of the running system. In `/run` are the sockets of services, such as D-Bus and Docker: even read-only they can be
 * talked to, which is a way out of the box. Drives that a person has put in are below `/run/media`.
 */
export function isClosedFolder(path: string): boolean {
  return /^\/+(?:proc|dev|sys|(?:var\/+)?run(?!\/+media\/))(?:\/|$)/.test(path)
}

function readContainer(
  kind: ContainerRunner['kind'],
  { image, memory, cpus, pids }: JsonObject,
  grants: BoxGrants,
): ContainerRunner | RunnerProblem {
  // A first character of "-" would make it an option.
  if (typeof image !== 'string' || !/^\w[\w.\-/:@]*$/.test(image))
    return { problem: `"image" must name the image for ${kind}.`, key: 'image' }
  if (memory !== undefined && (typeof memory !== 'string' || !(memoryBytes(memory) > 0)))
    return { problem: '"memory" must be a size such as "512m".', key: 'memory' }
  if (cpus !== undefined && !(typeof cpus === 'number' && cpus > 0))
    return { problem: '"cpus" must be a number above 0.', key: 'cpus' }
  if (pids !== undefined && !(typeof pids === 'number' && Number.isSafeInteger(pids) && pids > 0))
    return { problem: '"pids" must be a whole number above 0.', key: 'pids' }
  return {
    kind,
    image,
    ...grants,
    ...(typeof memory === 'string' && { memory }),
    ...(typeof cpus === 'number' && { cpus }),
    ...(typeof pids === 'number' && { pids }),
  }
}

/** A runner as an entry writes it; what is empty or off is left out. */
export function toRunnerEntry(runner: Runner): Json {
  if (runner.kind === 'template') return runner.name
  const { kind, read, write, network } = runner
  const grants = {
    ...(read.length > 0 && { read }),
    ...(write.length > 0 && { write }),
    ...(network && { network }),
  }
  if (kind === 'bwrap') return Object.keys(grants).length === 0 ? kind : { use: kind, ...grants }
  const { image, memory, cpus, pids } = runner
  return {
    use: kind,
    image,
    ...grants,
    ...(memory !== undefined && { memory }),
    ...(cpus !== undefined && { cpus }),
    ...(pids !== undefined && { pids }),
  }
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** The bytes of a size such as `512m`; not a number if it is none. */
export function memoryBytes(size: string): number {
  const [, digits, unit = ''] = /^(\d+)([kmg]?)b?$/i.exec(size) ?? []
  return digits === undefined ? Number.NaN : Number(digits) * (units[unit.toLowerCase()] ?? 1)
}
