import { dirname, isAbsolute, join, relative, sep } from 'node:path'
import { isClosedFolder } from '../../../model/runner/runner.ts'
import { installationOf, isWithin } from '../box-folders.ts'
import type { ObservedRun } from './observed-run.ts'

export interface UsedFolder {
  readonly folder: string
  /** How many files of it. */
  readonly files: number
}

export interface ProposedBox {
  readonly read: readonly UsedFolder[]
  readonly write: readonly UsedFolder[]
  readonly network: boolean
  /** What the box would not have, as sentences. */
  readonly missing: readonly string[]
}

interface ProposeContext {
  readonly home: string
  readonly cwd: string
  /** The project's folder of its entry. */
  readonly folder?: string | undefined
  /** Our own folders, and those that a box opens by itself. */
  readonly ignored: readonly string[]
  /** Programs outside of the system that have to be in the box. */
  readonly programs: readonly string[]
  /** Files and folders that its arguments name: it looks at them, even if it opens nothing in them yet. */
  readonly named: readonly string[]
}

/** What every box has: the system, and places of its own. */
const systemFolders = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/nix/store',
  '/etc',
  '/proc',
  '/dev',
  '/sys',
]
const ownFolders = ['/tmp', '/var/tmp']

/** The smallest box in which the run would have had what it used, with a folder for each group of files. */
export function proposeBox(run: ObservedRun, context: ProposeContext): ProposedBox {
  const { home, cwd, folder, ignored } = context
  const mine = [home, cwd, ...(folder === undefined ? [] : [folder])].filter((each) => each !== '/')
  const isMine = (path: string) => mine.some((each) => isWithin(path, each))
  // What the entry itself names below a place of its own, with what is beside it: without that it would not start.
  const declared = [...context.programs, ...context.named]
    .flatMap((path) => [path, dirname(path)])
    .filter((path) => !ownFolders.some((each) => isWithin(each, path)))
  const isDeclared = (path: string) => declared.some((each) => isWithin(path, each))
  const isOwn = (path: string) =>
    ownFolders.some((each) => isWithin(path, each)) && !isMine(path) && !isDeclared(path)
  const isGiven = (path: string) =>
    systemFolders.some((each) => isWithin(path, each)) ||
    isOwn(path) ||
    ignored.some((each) => isWithin(path, each))
  const missing: string[] = []
  const grouped = { read: new Map<string, number>(), written: new Map<string, number>() }
  const isOpen = (path: string) => path.startsWith('/') && !hasOddCharacters(path)
  const add = (path: string, use: 'read' | 'written') => {
    const place = placeOf(path, use, mine)
    if (place === undefined) missing.push(sentence(path, use))
    else grouped[use].set(place, (grouped[use].get(place) ?? 0) + 1)
  }
  for (const [path, use] of run.files) {
    if (isGiven(path) || isAncestor(path, mine)) continue
    if (!isOpen(path) || isClosedFolder(path)) missing.push(sentence(path, use))
    else add(path, use)
  }
  for (const program of context.programs)
    if (!isGiven(program) && isOpen(program)) grouped.read.set(installationFolder(program, mine), 1)
  for (const path of context.named) {
    if (isGiven(path)) continue
    if (!isOpen(path) || isClosedFolder(path) || isWithin(home, path)) missing.push(sentence(path, 'read'))
    else grouped.read.set(path, grouped.read.get(path) ?? 0)
  }
  for (const socket of run.sockets)
    missing.push(`It connected to the socket ${socket}, which a box does not have.`)
  const write = outermost(joinSiblings(grouped.written, mine))
  const written = new Set(write.map((each) => each.folder))
  const read = outermost(joinSiblings(grouped.read, mine)).filter(
    (each) => !hasParentIn(each.folder, written),
  )
  return { read, write, network: run.hosts.length > 0, missing: [...new Set(missing)].slice(0, mostMissing) }
}

const mostMissing = 20

function sentence(path: string, use: 'read' | 'written'): string {
  return `It ${use === 'read' ? 'read' : 'wrote'} ${path}, which no folder of a box should open.`
}

/** A folder has no control characters, and no text that an entry reads as a placeholder. */
function hasOddCharacters(path: string): boolean {
  // eslint-disable-next-line no-control-regex -- the pattern must match control characters
  return /[\u0000-\u001f\u007f\ufffd]|\$\{/.test(path)
}

/** The home folder, the project or a folder above them: looking into it is no reason to open it whole. */
function isAncestor(path: string, mine: readonly string[]): boolean {
  return mine.some((each) => isWithin(each, path))
}

/** The folder to open for a file; the file itself, if its folder has too much else. */
function placeOf(path: string, use: 'read' | 'written', mine: readonly string[]): string | undefined {
  const modules = path.indexOf(`${sep}node_modules${sep}`)
  if (use === 'read' && modules > 0) return join(path.slice(0, modules), 'node_modules')
  const packages = /^(.+)\/lib\/python[\d.]+\/site-packages\//.exec(path)?.[1]
  if (use === 'read' && packages !== undefined && !isAncestor(packages, mine)) return packages
  const folder = dirname(path)
  if (folder === '/') return undefined
  if (!isAncestor(folder, mine)) return folder
  // A file in the home folder can be opened alone. To write one, its folder would have to be open: files are replaced by others.
  return use === 'read' ? path : undefined
}

function installationFolder(program: string, mine: readonly string[]): string {
  const folder = installationOf(program)
  return isAncestor(folder, mine) ? program : folder
}

/** Without folders that are inside of others; counts are added up. Sorted by parts of paths, a folder follows what contains it. */
function outermost(found: ReadonlyMap<string, number>): readonly UsedFolder[] {
  const kept: { folder: string; files: number }[] = []
  const key = (path: string) => path.replaceAll('/', '\0')
  for (const [folder, files] of [...found].sort(([a], [b]) => (key(a) < key(b) ? -1 : 1))) {
    const last = kept.at(-1)
    if (last && isWithin(folder, last.folder)) last.files += files
    else kept.push({ folder, files })
  }
  return kept
}

/** So many folders side by side are opened by the folder around them: a list of hundreds is not read. */
const mostSiblings = 6

function joinSiblings(
  found: ReadonlyMap<string, number>,
  mine: readonly string[],
): ReadonlyMap<string, number> {
  const children = new Map<string, (readonly [string, number])[]>()
  for (const entry of found) {
    const parent = dirname(entry[0])
    const known = children.get(parent)
    if (known) known.push(entry)
    else children.set(parent, [entry])
  }
  const joined = new Map<string, number>()
  for (const [parent, inside] of children) {
    const isJoined = inside.length > mostSiblings && parent !== '/' && !isAncestor(parent, mine)
    for (const [folder, files] of inside) {
      const place = isJoined ? parent : folder
      joined.set(place, (joined.get(place) ?? 0) + files)
    }
  }
  return joined.size < found.size ? joinSiblings(joined, mine) : found
}

function hasParentIn(folder: string, folders: ReadonlySet<string>): boolean {
  for (let at = folder; at !== '/' && at !== '.'; at = dirname(at)) if (folders.has(at)) return true
  return false
}

/** A folder as an entry writes it: relative in a project, `~/` in the home folder. */
export function writtenFolder(
  path: string,
  { home, folder }: Pick<ProposeContext, 'home' | 'folder'>,
): string {
  if (folder !== undefined && isWithin(path, folder)) return relative(folder, path) || '.'
  if (isWithin(path, home) && home !== '/') return join('~', relative(home, path))
  return isAbsolute(path) ? path : join('/', path)
}
