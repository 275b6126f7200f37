import { join, resolve } from 'node:path'
import {
  cacheDirectory,
  configDirectory,
  dataDirectory,
  stateDirectory,
} from '../../config/own-directories.ts'
import { believePlatform } from '../../config/believed-platform.ts'
import { pathFolders } from '../../platform/child-env.ts'
import { createObserver } from '../../connections/runner/strace/observed-run.ts'
import type { ObservedRun, ReachedHost } from '../../connections/runner/strace/observed-run.ts'
import { proposeBox, writtenFolder } from '../../connections/runner/strace/propose-box.ts'
import type { UsedFolder } from '../../connections/runner/strace/propose-box.ts'
import { straceOptions } from '../../connections/runner/strace/strace-calls.ts'
import { isPackageCommand, packageFoldersOf } from '../../connections/runner/installed-package.ts'
import type { BwrapRunner } from '../../model/runner/runner.ts'
import type { Server } from '../../model/server.ts'
import type { Platform, Spawn, SpawnOptions } from '../../platform/platform.ts'

export type { ReachedHost, UsedFolder }

/** What a run used, in folders, and the box that would have been enough. */
export interface Observation {
  readonly read: readonly UsedFolder[]
  readonly write: readonly UsedFolder[]
  readonly hosts: readonly ReachedHost[]
  readonly runner: BwrapRunner
  readonly notes: readonly string[]
}

export interface Tracer {
  /** Starts programs under strace. */
  readonly spawn: Spawn
  /** What was traced. To be called when the programs have ended. */
  observe(server: Server): Promise<Observation>
  /** Removes the trace, which has texts of the server. */
  close(): Promise<void>
}

/** A tracer of started programs; `undefined` where there is no strace. */
export async function openTracer(given: Partial<Platform>): Promise<Tracer | undefined> {
  const { platform } = await believePlatform(given)
  const strace = await findStrace(platform)
  if (strace === undefined) return undefined
  const { files } = platform
  // The random part only tells runs apart; the folder is private.
  const folder = join(stateDirectory(platform), 'traces', Math.random().toString(16).slice(2, 14))
  await files.makePrivateDirectory(folder)
  const starts: (SpawnOptions & { readonly log: string })[] = []
  return {
    spawn(options) {
      const log = join(folder, String(starts.length))
      starts.push({ ...options, log })
      // The processes of a box have numbers of their own.
      const pids = firstOf(options.command) === 'box' ? ['--decode-pids=pidns'] : []
      const args = [...straceOptions, ...pids, '-o', log, '--', options.command, ...options.args]
      return platform.spawn({ ...options, command: strace, args })
    },
    async observe(server) {
      const runs: ObservedRun[] = []
      for (const start of starts) runs.push(await readTrace(start, files))
      return describeRuns(runs, server, starts.at(-1), platform)
    },
    close: () => files.removeFolder(folder),
  }
}

async function findStrace({ os, env, files }: Platform): Promise<string | undefined> {
  if (os !== 'linux') return undefined
  for (const folder of pathFolders(env['PATH'] ?? '', os)) {
    const path = join(folder, 'strace')
    if ((await files.stat(path))?.kind === 'file') return path
  }
  return undefined
}

function firstOf(command: string): 'server' | 'launcher' | 'box' {
  if (command === 'bwrap') return 'box'
  return isPackageCommand(command) ? 'launcher' : 'server'
}

/** A longer trace is read up to here. */
const longestTrace = 64 * 1024 * 1024

async function readTrace(
  { log, cwd, command }: SpawnOptions & { readonly log: string },
  files: Platform['files'],
): Promise<ObservedRun> {
  const observer = createObserver({ cwd, first: firstOf(command) })
  const found = await files.readText(log, { maxBytes: longestTrace })
  const text = found.kind === 'text' ? found.text : ''
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at)
    observer.line(text.slice(at, end < 0 ? undefined : end))
    at = end < 0 ? text.length : end + 1
  }
  const run = observer.finish()
  return found.kind === 'text' ? run : { ...run, isCut: true }
}

async function describeRuns(
  runs: readonly ObservedRun[],
  server: Server,
  start: SpawnOptions | undefined,
  platform: Platform,
): Promise<Observation> {
  const { home, files } = platform
  const own = [configDirectory, stateDirectory, cacheDirectory, dataDirectory].map((of) => of(platform))
  const real = async (path: string) => files.realPath(path).catch(() => path)
  const cwd = server.runner || !start ? (server.folder ?? platform.cwd) : start.cwd
  const context = {
    home: await real(home),
    cwd: await real(cwd),
    folder: server.folder && (await real(server.folder)),
  }
  const run = joinRuns(runs)
  const box = proposeBox(run, {
    ...context,
    ignored: [...(await Promise.all(own.map(real))), ...packageFoldersOf(platform)],
    programs: run.programs,
    named: await namedPaths(start, server, { files, cwd: context.cwd }),
  })
  const written = (folders: readonly UsedFolder[]) =>
    folders.map(({ folder }) => writtenFolder(folder, context))
  return {
    read: box.read,
    write: box.write,
    hosts: run.hosts,
    runner: { kind: 'bwrap', read: written(box.read), write: written(box.write), network: box.network },
    notes: [
      ...box.missing,
      ...(run.isCut ? ['It used more than can be shown here: the box may be too small.'] : []),
    ],
  }
}

/** The arguments that are paths of something, alone or after `=`. */
async function namedPaths(
  start: SpawnOptions | undefined,
  server: Server,
  { files, cwd }: Pick<Platform, 'files' | 'cwd'>,
): Promise<readonly string[]> {
  if (!start) return []
  // The arguments of a box are ours; those of the server follow them.
  const args = server.runner ? start.args.slice(start.args.indexOf('--') + 2) : start.args
  const found: string[] = []
  for (const word of args.flatMap((arg) => [arg, arg.slice(arg.indexOf('=') + 1)])) {
    if (word === '' || word.startsWith('-') || word.includes('\0')) continue
    const path = resolve(cwd, word)
    if (await files.stat(path)) found.push(await files.realPath(path))
  }
  return [...new Set(found)]
}

/** A server may be started more than once while it is greeted. */
function joinRuns(runs: readonly ObservedRun[]): ObservedRun {
  const files = new Map<string, 'read' | 'written'>()
  for (const run of runs)
    for (const [path, use] of run.files) if (files.get(path) !== 'written') files.set(path, use)
  const hosts = new Map(
    runs.flatMap((run) => run.hosts.map((host) => [`${host.address} ${host.port}`, host] as const)),
  )
  return {
    files,
    programs: [...new Set(runs.flatMap((run) => run.programs))],
    hosts: [...hosts.values()],
    sockets: [...new Set(runs.flatMap((run) => run.sockets))],
    isCut: runs.some((run) => run.isCut),
  }
}
