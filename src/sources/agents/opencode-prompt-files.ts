import { dirname, isAbsolute, join } from 'node:path'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { isObject, toPointer, valueAt } from '../../model/json.ts'
import type { Files } from '../../platform/platform.ts'
import { isInside } from '../path-containment.ts'
import type { OpenFile } from '../source.ts'

/** The texts of prompts that are in files of their own, by the value of `prompt`. */
export interface PromptFiles {
  readonly texts: ReadonlyMap<string, string>
  readonly diagnostics: readonly Diagnostic[]
}

interface Around {
  readonly home: string
  /** The folders of the project. */
  readonly roots: readonly string[]
  readonly files: Files
}

/** Reads `"prompt": "{file:./coder.md}"` of opencode's settings, relative to the settings. */
export async function readPromptFiles(file: OpenFile, around: Around): Promise<PromptFiles> {
  const texts = new Map<string, string>()
  const diagnostics: Diagnostic[] = []
  for (const [name, entry] of agentEntries(file)) {
    const prompt = isObject(entry) ? entry['prompt'] : undefined
    const named = typeof prompt === 'string' ? fileIn(prompt) : undefined
    if (typeof prompt !== 'string' || named === undefined || texts.has(prompt)) continue
    const { text, problem } = await readNamed(named, file, around)
    texts.set(prompt, text ?? '')
    if (problem === undefined) continue
    const { line } = file.doc.position(toPointer(['agent', name, 'prompt']))
    const message = `The prompt of the agent "${name}" is not used: ${problem}.`
    diagnostics.push({
      code: 'unreadable-file',
      severity: 'warn',
      message,
      origin: { file: file.path, line },
    })
  }
  return { texts, diagnostics }
}

function agentEntries({ doc }: OpenFile) {
  const agents = doc.errors.length > 0 ? undefined : valueAt(doc.value, ['agent'])
  return isObject(agents) ? Object.entries(agents) : []
}

function fileIn(prompt: string): string | undefined {
  return /^\s*\{file:([^{}]+)\}\s*$/.exec(prompt)?.[1]?.trim()
}

/** T58: a project's settings name only files of the project; otherwise any file of the machine would reach the model. */
async function readNamed(named: string, { path, authority, root }: OpenFile, around: Around) {
  const { home, roots, files } = around
  const inHome = /^~(?=[\\/])/.test(named) ? join(home, named.slice(1)) : named
  const target = isAbsolute(inHome) ? inHome : join(dirname(path), inHome)
  if (authority === 'project' && !(await isInside(target, [...roots, root], files)))
    return { problem: `${named} is outside the project` }
  const read = await files.readText(target)
  if (read.kind === 'text') return { text: read.text }
  return { problem: read.kind === 'absent' ? `there is no file ${named}` : read.message.replace(/\.$/, '') }
}
