import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { memoryBytes } from '../model/runner/runner.ts'
import type { BoxGrants, ContainerRunner, Runner } from '../model/runner/runner.ts'
import type { Server } from '../model/server.ts'
import type { Platform } from '../platform/platform.ts'
import type { RunnerSettings } from './runner-settings.ts'
import { needsTrust } from './trust/trust-store.ts'

/** A server with the runner that is in force: as its entry asks for it, within the rule of the person. */
export function applyRunners(
  server: Server,
  settings: RunnerSettings,
  { home }: Pick<Platform, 'home'>,
): Server {
  if (server.transport.kind !== 'stdio') return server
  const rule = needsTrust(server) ? ruleOf(settings) : undefined
  const asked = server.runner && complete(server.runner, settings)
  if (!rule) return asked ? { ...server, runner: asked } : server
  if (!asked) return { ...server, runner: rule }
  const { runner, notes } = narrow(rule, asked, { home, folder: server.folder ?? '/' })
  return { ...server, runner, ...(notes.length > 0 && { runnerNotes: notes }) }
}

/** A rule that cannot be read is one that nothing fulfills. */
function ruleOf(settings: RunnerSettings): Runner | undefined {
  if (settings.isDamaged) return { kind: 'template', name: 'project' }
  return settings.project && complete(settings.project, settings)
}

/** Adds what only the person's settings say. */
function complete(runner: Runner, { engines, templates }: RunnerSettings): Runner {
  if (runner.kind === 'bwrap') return runner
  if (runner.kind === 'template') {
    const template = Object.hasOwn(templates, runner.name) ? templates[runner.name] : undefined
    return template ? { ...runner, template } : runner
  }
  const options = engines[runner.kind]
  return options ? { ...runner, options } : runner
}

interface Places {
  readonly home: string
  readonly folder: string
}

interface Narrowed {
  readonly runner: Runner
  /** What is not granted. */
  readonly notes: readonly string[]
}

/** What both grant. The kind of the rule stays: whether another kind is narrower cannot be told. */
function narrow(rule: Runner, asked: Runner, places: Places): Narrowed {
  if (rule.kind === 'template') {
    const isSame = asked.kind === 'template' && asked.name === rule.name
    return { runner: rule, notes: isSame ? [] : [otherKind(rule, asked)] }
  }
  if (asked.kind === 'template') return { runner: rule, notes: [otherKind(rule, asked)] }
  const { grants, notes } = narrowGrants(rule, asked, places)
  const kinds = rule.kind === asked.kind ? [] : [otherKind(rule, asked)]
  if (rule.kind === 'bwrap') return { runner: { kind: 'bwrap', ...grants }, notes: [...kinds, ...notes] }
  const limits = asked.kind === 'bwrap' ? {} : asked
  return {
    runner: {
      ...rule,
      ...(asked.kind === rule.kind && { image: asked.image }),
      ...grants,
      ...narrowLimits(rule, limits),
    },
    notes: [...kinds, ...notes],
  }
}

function otherKind(rule: Runner, asked: Runner): string {
  const word = (runner: Runner) => (runner.kind === 'template' ? runner.name : runner.kind)
  return `Its entry asks for ${word(asked)}; your rule for servers of projects is ${word(rule)}.`
}

function narrowGrants(rule: BoxGrants, asked: BoxGrants, places: Places) {
  const place = (written: string) => resolveIn(written, places)
  const isInside = (written: string, folders: readonly string[]) =>
    folders.some((folder) => isWithin(place(written), place(folder)))
  const write = asked.write.filter((each) => isInside(each, rule.write))
  // A folder that may not be written may still be read, if the rule lets it.
  const wanted = [...new Set([...asked.read, ...asked.write.filter((each) => !write.includes(each))])]
  const read = wanted.filter((each) => isInside(each, [...rule.read, ...rule.write]))
  const lost = [
    ...asked.write.filter((each) => !write.includes(each)).map((each) => `to write ${each}`),
    ...asked.read.filter((each) => !read.includes(each)).map((each) => `to read ${each}`),
    ...(asked.network && !rule.network ? ['for the network'] : []),
  ]
  const notes = lost.map(
    (what) => `Its entry asks ${what}, which your rule for servers of projects does not allow.`,
  )
  return { grants: { read, write, network: asked.network && rule.network }, notes }
}

type Limits = Pick<ContainerRunner, 'memory' | 'cpus' | 'pids'>

/** The smaller limit of both. */
function narrowLimits(rule: Limits, asked: Limits): Limits {
  const memory = smaller(rule.memory, asked.memory, memoryBytes)
  const cpus = smaller(rule.cpus, asked.cpus, Number)
  const pids = smaller(rule.pids, asked.pids, Number)
  return {
    ...(memory !== undefined && { memory }),
    ...(cpus !== undefined && { cpus }),
    ...(pids !== undefined && { pids }),
  }
}

function smaller<T>(a: T | undefined, b: T | undefined, size: (value: T) => number): T | undefined {
  if (a === undefined || b === undefined) return a ?? b
  return size(a) <= size(b) ? a : b
}

function resolveIn(written: string, { home, folder }: Places): string {
  return written === '~' || written.startsWith('~/') ? join(home, written.slice(1)) : resolve(folder, written)
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
