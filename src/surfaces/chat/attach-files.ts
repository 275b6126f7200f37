import { readFileSync, realpathSync, statSync } from 'node:fs'
import { extname, resolve, sep } from 'node:path'
import type { Prompt, PromptPart } from '../../agent.ts'
import { fence } from '../terminal/fence.ts'

export interface AttachedPrompt {
  readonly prompt: Prompt
  /** The attached files, as they were written. */
  readonly attached: readonly string[]
  /** Why a file was not attached, one sentence each. */
  readonly problems: readonly string[]
  /** Words after `@` that name no file. */
  readonly unknown: readonly string[]
}

const maxTextBytes = 256 * 1024
const maxImageBytes = 5 * 1024 * 1024

const imageTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
}

/** `@path` or `@"path with blanks"` at the start of a word; `@result:ID` names a result. */
const mention = /(?<=^|\s)@(?:"([^"\n]+)"|(?!result:)([^\s"]+))/g

/**
 * Attaches the files that a text names with `@`. A word that names no file stays text: it may be a name. Without
 * `isAnywhere` only files of the folder are attached.
 */
export function attachFiles(
  text: string,
  cwd: string,
  { isAnywhere = false }: { readonly isAnywhere?: boolean } = {},
): AttachedPrompt {
  const unknown: string[] = []
  const parts: PromptPart[] = []
  const attached: string[] = []
  const problems: string[] = []
  for (const [, quoted, word] of text.matchAll(mention)) {
    const name = quoted ?? word ?? ''
    const found = findFile(name, cwd)
    if (!found) unknown.push(name)
    if (!found || attached.includes(found.name)) continue
    const part = isAnywhere ? readPart(found) : (refuseOutside(found, cwd) ?? readPart(found))
    if (typeof part === 'string') problems.push(part)
    else {
      parts.push(part)
      attached.push(found.name)
    }
  }
  const prompt = parts.length === 0 ? text : [{ type: 'text' as const, text }, ...parts]
  return { prompt, attached, problems, unknown }
}

interface FoundFile {
  /** As it was written. */
  readonly name: string
  readonly path: string
}

/** Finds the file; a sign that ends a sentence may follow its name. */
function findFile(word: string, cwd: string): FoundFile | undefined {
  for (const name of new Set([word, word.replace(/[.,;:!?)\]]+$/, '')])) {
    const path = realPath(resolve(cwd, name))
    if (name !== '' && path !== undefined) return { name, path }
  }
  return undefined
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** A link may lead out of the folder too. */
function refuseOutside({ name, path }: FoundFile, cwd: string): string | undefined {
  const folder = realPath(cwd) ?? cwd
  if (path.startsWith(folder.endsWith(sep) ? folder : folder + sep)) return undefined
  return `@${name} was not attached: it is outside of the folder of this conversation.`
}

/** A sentence if the file cannot be attached. */
function readPart({ name, path }: FoundFile): PromptPart | string {
  try {
    const found = statSync(path)
    if (!found.isFile()) return `@${name} was not attached: it is not a file.`
    const mediaType = imageTypes[extname(path).toLowerCase()]
    const limit = mediaType === undefined ? maxTextBytes : maxImageBytes
    if (found.size > limit)
      return `@${name} was not attached: it is larger than ${limit / 1024} KB. Let the model read it with a tool.`
    const bytes = readFileSync(path)
    if (mediaType !== undefined) return { type: 'image', mediaType, data: bytes.toString('base64') }
    const content = decode(bytes)
    if (content === undefined) return `@${name} was not attached: it is neither text nor an image.`
    return { type: 'text', text: `${name}:\n${fence(content)}` }
  } catch (error) {
    return `@${name} was not attached: ${error instanceof Error ? error.message : String(error)}`
  }
}

export function decode(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}
