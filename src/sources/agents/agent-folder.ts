import { join } from 'node:path'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Files } from '../../platform/platform.ts'
import { isBelow } from '../path-containment.ts'

/** A file of a folder of agents. */
export interface FolderFile {
  readonly path: string
  /** Its path in the folder without `.md`, with `/` as the separator. */
  readonly name: string
}

interface FolderReading {
  readonly files: readonly FolderFile[]
  readonly diagnostics: readonly Diagnostic[]
}

/** No folder of agents comes near these; a deeper or larger one is not meant for agents, or is a trap. */
const maxDepth = 16
const maxEntries = 5000

/**
 * The Markdown files of a folder at every depth, in the order of their names. Links are followed once, so a cycle ends.
 * What is beyond the limits is reported. T58: with `within`, so are links that lead out of these folders: otherwise a
 * project could have any file of the machine read as an agent.
 */
export async function readAgentFolder(
  folder: string,
  files: Files,
  within?: readonly string[],
): Promise<FolderReading> {
  const roots = within && (await Promise.all(within.map((each) => files.realPath(each))))
  const found: FolderFile[] = []
  const diagnostics: Diagnostic[] = []
  const seen = new Set<string>()
  let entries = 0
  await visit(folder, '', 0)
  return { files: found, diagnostics }

  async function visit(path: string, prefix: string, depth: number): Promise<void> {
    const names = await files.list(path)
    if (names.length === 0) return
    const real = await files.realPath(path)
    if (leadsOut(real)) return reportLink(path)
    if (seen.has(real)) return
    seen.add(real)
    const folders: string[] = []
    for (const name of names) {
      if (++entries > maxEntries) return report(path, `${folder} has more than ${maxEntries} files`)
      if (name.endsWith('.md')) {
        const file = join(path, name)
        if (roots && leadsOut(await files.realPath(file))) reportLink(file)
        else found.push({ path: file, name: prefix + name.slice(0, -'.md'.length) })
      } else if ((await files.stat(join(path, name)))?.kind === 'directory') folders.push(name)
    }
    for (const name of folders) {
      if (depth < maxDepth) await visit(join(path, name), `${prefix}${name}/`, depth + 1)
      else report(join(path, name), `It is more than ${maxDepth} folders deep`)
    }
  }

  function leadsOut(real: string): boolean {
    return roots !== undefined && !isBelow(real, roots)
  }

  function reportLink(file: string): void {
    const message = 'It is a link out of the project; agents behind it are not read.'
    diagnostics.push({ code: 'unreadable-file', severity: 'warn', message, origin: { file } })
  }

  function report(file: string, why: string): void {
    const message = `${why}; agents from here on are not read.`
    const isKnown = diagnostics.some((each) => each.message === message)
    if (!isKnown) diagnostics.push({ code: 'unreadable-file', severity: 'warn', message, origin: { file } })
  }
}
